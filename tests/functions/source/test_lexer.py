"""The tokens of Python, on every version of it, and of what is no Python as yet."""

import ast
import io
import sys
import sysconfig
import tokenize
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.source.lexer import Kind, tokens

FOLDERS = (
    Path(__file__).parents[3] / "functions" / "authoring",
    Path(sysconfig.get_paths()["stdlib"]),
)


def pieces(source: str, kind: Kind) -> list[str]:
    return [source[token.start : token.end] for token in tokens(source) if token.kind is kind]


def expected(source: str) -> set[tuple[int, int]]:
    """Return where Python itself finds comments, and strings without fields."""
    starts = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
    return {
        (starts[one.start[0] - 1] + one.start[1], starts[one.end[0] - 1] + one.end[1])
        for one in tokenize.generate_tokens(io.StringIO(source).readline)
        if one.type == tokenize.COMMENT
        or (
            one.type == tokenize.STRING
            and "f" not in one.string.partition(one.string[-1])[0].lower()
        )
    }


def test_comments_and_strings_are_where_python_finds_them() -> None:
    compared = 0
    for folder in FOLDERS:
        for path in sorted(folder.glob("[a-h]*.py")):
            source = path.read_text("utf-8")
            found = {
                (token.start, token.end)
                for token in tokens(source)
                if token.kind in (Kind.COMMENT, Kind.STRING)
            }
            assert expected(source) <= found, path
            compared += 1
    assert compared > 40


@pytest.mark.parametrize(
    ("source", "strings"),
    [
        ("f'a{b}c'", ["f'a", "c'"]),
        ("f'{b!r:>{w}}' 'c'", ["f'", "'", "'c'"]),
        ("f'{x:#x}' 'c'", ["f'", "'", "'c'"]),
        ('f"{x:\'>9}" "c"', ['f"', '"', '"c"']),
        ("f'{{a}}'", ["f'{{a}}'"]),
        ("f'{ {1: 2}[1] }'", ["f'", "'"]),
        ("rf'\\{a}'", ["rf'\\", "'"]),
        ("f'\\N{DASH}{a}'", ["f'\\N{DASH}", "'"]),
        ("f'''{\na}'''", ["f'''", "'''"]),
        ("f'{f\"{a}\"}'", ["f'", 'f"', '"', "'"]),
        ("b'a' Rb'b' u'c'", ["b'a'", "Rb'b'", "u'c'"]),
        ("xf'{a}'", ["'{a}'"]),
        ("'a\\\nb' '''c\n'd'''", ["'a\\\nb'", "'''c\n'd'''"]),
        ("'no\n'yes'", ["'yes'"]),
        ("f'{no\n'yes'}'", ["f'", "'yes'", "'"]),
        ("'yes' '''no", ["'yes'", "'''no"]),
        ("f'{' # no", ["f'"]),
    ],
)
def test_strings_end_where_they_end(source: str, strings: list[str]) -> None:
    assert pieces(source, Kind.STRING) == strings


@pytest.mark.skipif(sys.version_info < (3, 12), reason="these came with Python 3.12")
@pytest.mark.parametrize(
    "source", ["f'{d['a']} b' 'c'", "f'{'\\n'.join(a)}' 'c'", "f'{f'{1}'}' 'c'"]
)
def test_quotes_may_be_those_of_the_string_around_them(source: str) -> None:
    ast.parse(source)
    assert pieces(source, Kind.STRING)[-1] == "'c'"


@given(st.text(alphabet="'\"{}[]():#\\fb \nNa1\0é"))
def test_tokens_of_any_text_follow_one_another(source: str) -> None:
    end = 0
    for token in tokens(source):
        assert end <= token.start < token.end <= len(source)
        end = token.end
