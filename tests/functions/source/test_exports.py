"""The names that a module offers, with signatures."""

import pytest

from functions.source.exports import Export, exports


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (
            "def Add(a: int, b: int = 1) -> int:\n    'Adds.\\n\\nMore.'",
            [Export("Add", "function", "Add(a: int, b: int=1) -> int", "Adds.")],
        ),
        (
            "class Stack:\n    '''A stack.'''\n    def __init__(self, items=()): ...",
            [Export("Stack", "class", "Stack(items=())", "A stack.")],
        ),
        ("class Empty: ...", [Export("Empty", "class", "Empty()", "")]),
        ("PI = 3\n_hidden = 1\nimport math", [Export("PI", "value", "", "")]),
        ("__all__ = ['b']\na = b = 1", [Export("b", "value", "", "")]),
        ("async def wait(s): ...", [Export("wait", "function", "async wait(s)", "")]),
        ("", []),
    ],
)
def test_public_names_are_listed(code: str, found: list[Export]) -> None:
    assert exports(code) == found
