"""The kinds whose implementations are Python: functions and classes."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from functions.analysis.client import outline
from functions.kinds.kind import Kind
from functions.models import Function, Implementation
from functions.sized_cache import SizedCache

_CHARACTERS_EACH = 300
# Public methods by source and name; failures are not cached.
_methods: SizedCache[tuple[bytes, str], Sequence[Mapping[str, Any]]] = SizedCache(2_000_000)


class FunctionKind(Kind):
    """A callable, or any other value that Python code defines."""

    name, label, subject = "function", _("function"), "function"

    def begin_implementation(self, name: str, *, parameters: str, docstring: str) -> str:
        """Return a definition without a body."""
        return f"def {name}({parameters}):\n{docstring}    ...\n"

    def begin_test(self, name: str, *, arguments: str, returns: str) -> str:
        """Return a call whose result is compared."""
        expected = f"  # {returns}" if returns else ""
        return f"def test_one_case():\n    assert {name}({arguments}) == ...{expected}\n"


class ClassKind(Kind):
    """A class that Python code defines."""

    name, label, subject = "class", _("class"), "class"
    not_callable = _(
        "%(name)s is a class, and its objects are not JSON. Define a function that "
        "uses <<%(name)s>> and returns plain values, and call that."
    )

    def begin_implementation(self, name: str, *, parameters: str, docstring: str) -> str:
        """Return a class, with a constructor if it takes parameters."""
        if not parameters:
            return f"class {name}:\n{docstring}    ...\n"
        gap = "\n" if docstring else ""
        made = f"    def __init__(self, {parameters}):\n        ...\n"
        return f"class {name}:\n{docstring}{gap}{made}"

    def begin_test(self, name: str, *, arguments: str, returns: str) -> str:  # noqa: ARG002
        """Return a test of one object."""
        made = f"    one = {name}({arguments})\n"
        return f"def test_one_case():\n{made}    assert one.method(...) == ...\n"

    def find_methods(self, function: Function, *, owner: str) -> Sequence[Mapping[str, Any]]:
        """Return the public methods of the current class."""
        if not function.elected_id:
            return ()
        elected = Implementation.objects.only("code", "source_sha256").get(pk=function.elected_id)
        key = (bytes(elected.source_sha256 or b""), function.name)
        known = _methods.get(key) if elected.source_sha256 else None
        if known is None:
            known = outline(elected.code, function.name, owner=owner)
            if known:
                _methods.put(key, known, _CHARACTERS_EACH * len(known))
        return known
