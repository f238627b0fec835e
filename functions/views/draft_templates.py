"""Initial code of new drafts."""

from functions.analysis.client import parameters
from functions.models import Function


def starter_code(function: Function, noun: str, *, owner: str) -> str:
    """Return the initial code of an implementation or a test of this function."""
    is_class = function.kind == Function.Kind.CLASS
    if noun == "test" and is_class:
        made = f"    one = {function.name}(...)\n"
        return f"def test_one_case():\n{made}    assert one.method(...) == ...\n"
    if noun == "test":
        return f"def test_one_case():\n    assert {function.name}(...) == ...\n"
    taken = parameters(function.signature, owner=owner)
    if not is_class:
        return f"def {function.name}({', '.join(taken)}):\n    ...\n"
    if not taken:
        return f"class {function.name}:\n    ...\n"
    made_with = ", ".join(["self", *taken])
    return f"class {function.name}:\n    def __init__({made_with}):\n        ...\n"
