"""Tracebacks of the machinery's failures; as attempts show them to anybody, without local paths."""

import re
import sys
import traceback

# Absolute paths tell about the machine, not about the failure.
_PLACES = sorted({path for path in sys.path if path} | {sys.prefix, sys.base_prefix}, key=len)
_PLACE = re.compile("|".join(re.escape(path.rstrip("/") + "/") for path in reversed(_PLACES)))


def format_traceback(error: BaseException) -> str:
    """Return the traceback, with paths relative to where modules are imported from."""
    return _PLACE.sub("", "".join(traceback.format_exception(error)))
