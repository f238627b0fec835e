"""The kinds whose implementations are Python: functions and classes."""

from django.utils.translation import gettext_lazy as _

from functions.kinds.kind import Kind


class FunctionKind(Kind):
    """A callable, or any other value that Python code defines."""

    name, label = "function", _("function")

    def begin_implementation(self, name: str, *, parameters: str, docstring: str) -> str:
        """Return a definition without a body."""
        return f"def {name}({parameters}):\n{docstring}    ...\n"

    def begin_test(self, name: str, *, arguments: str, returns: str) -> str:
        """Return a call whose result is compared."""
        expected = f"  # {returns}" if returns else ""
        return f"def test_one_case():\n    assert {name}({arguments}) == ...{expected}\n"


class ClassKind(Kind):
    """A class that Python code defines."""

    name, label = "class", _("class")
    has_methods = True
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
