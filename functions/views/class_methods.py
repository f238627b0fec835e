"""The public methods of a class, for its page."""

from collections.abc import Mapping, Sequence
from typing import Any

from functions.analysis.client import outline
from functions.models import Function, Implementation
from functions.sized_cache import SizedCache

_MOST_CHARACTERS = 1_000_000
_EACH = 300

# By the hash of the source, and the name of the class.
_known: SizedCache[tuple[bytes, str], Sequence[Mapping[str, Any]]] = SizedCache(_MOST_CHARACTERS)


def methods_of(function: Function) -> Sequence[Mapping[str, Any]]:
    """Return the public methods of a class's current implementation; empty for a function.

    Failures are not cached.
    """
    if function.kind != Function.Kind.CLASS or not function.elected_id:
        return ()
    elected = Implementation.objects.only("code", "source_sha256").get(pk=function.elected_id)
    key = (bytes(elected.source_sha256 or b""), function.name)
    known = _known.get(key) if elected.source_sha256 else None
    if known is None:
        known = outline(elected.code, function.name, owner=f"class:{function.pk}")
        if known:
            _known.put(key, known, _EACH * len(known))
    return known
