"""PURE: values as PostgreSQL, and clients, can take them."""

import math
from typing import Any

_UNSTORABLE = {0: "\ufffd", **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}


def storable(value: Any) -> Any:
    """Replace what PostgreSQL's text and JSON can't store.

    That is NUL, lone surrogates and non-finite numbers; users' code can produce all of them.
    """
    if isinstance(value, str):
        return value.translate(_UNSTORABLE)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {storable(str(key)): storable(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [storable(entry) for entry in value]
    return value
