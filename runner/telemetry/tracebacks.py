"""Tracebacks of our own failures as attempts keep them: anybody may read them."""

import re
import sys
import traceback

# Where this project and its dependencies lie tells of the machine, not of the failure.
_PLACES = sorted({path for path in sys.path if path} | {sys.prefix, sys.base_prefix}, key=len)
_PLACE = re.compile("|".join(re.escape(path.rstrip("/") + "/") for path in reversed(_PLACES)))


def format_traceback(error: BaseException) -> str:
    """Return the traceback, with files named from where modules are looked for."""
    return _PLACE.sub("", "".join(traceback.format_exception(error)))
