"""Tracebacks of the machinery's failures, without local paths, because attempts are public."""

import re
import sys
import traceback

_ROOTS = sorted({path for path in sys.path if path} | {sys.prefix, sys.base_prefix}, key=len)
_ROOT = re.compile("|".join(re.escape(path.rstrip("/") + "/") for path in reversed(_ROOTS)))


def format_traceback(error: BaseException) -> str:
    """Return the traceback, with paths relative to the import paths."""
    return _ROOT.sub("", "".join(traceback.format_exception(error)))
