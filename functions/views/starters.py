"""What a new draft begins with, so that nobody faces an empty page."""

from functions.analysis import parameters
from functions.models import Function


def starter_code(function: Function, noun: str, *, owner: str) -> str:
    """Return a first text for an implementation or a test of this function."""
    if noun == "test":
        return f"def test_one_case():\n    assert {function.name}(...) == ...\n"
    return (
        f"def {function.name}({', '.join(parameters(function.signature, owner=owner))}):\n    ...\n"
    )
