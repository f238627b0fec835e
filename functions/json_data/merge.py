"""JSON merge patch (RFC 7396)."""

from typing import Any

from functions.json_data.values import check_value


def merge(target: Any, patch: Any, *, field: str = "") -> Any:
    """Return the target changed by a merge patch; null removes a member, lists are replaced.

    Raises a Refusal if the patch, or the outcome, is too large or too deep.
    """
    return check_value(_merged(target, check_value(patch, field=field)), field=field)


def _merged(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merged(merged.get(name), value)
    return merged
