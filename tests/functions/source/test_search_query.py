"""What people type into the search field, and what is understood."""

import pytest

from functions.source.search_query import COMMON, Search, read_query, with_filter


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", Search()),
        ("carry  digit", Search(words=("carry", "digit"))),
        ('"carry digit"', Search(words=("carry digit",))),
        ("the sum of digits", Search(words=("sum", "digits"))),
        ("of", Search(words=("of",))),
        ("-> list[int]", Search(words=("list[int]",))),
        ("a: int b:int", Search(words=("a:", "int", "b:int"))),
        ("author:mira uses:Add used-by:Sum", Search(author="mira", uses="Add", used_by="Sum")),
        ('code:"for x in" prime', Search(words=("prime",), code="for x in")),
        ("needs:tests status:blocked kind:function", Search(
            needs="tests", status="blocked", kind="function")),
        ("author:a author:b", Search(author="b")),
        ('"never closed', Search(words=("never closed",))),
        ("a\0b \ud800", Search(words=("b",))),
    ],
)  # fmt: skip
def test_a_query_is_words_and_filters(text: str, meant: Search) -> None:
    assert "a" in COMMON
    assert read_query(text) == meant


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("needs:love", "needs: is one of tests, implementation, repair and help."),
        ("code:a+b", "code: needs three consecutive letters or digits."),
        ('author:""', "author: needs a value: an author of its works, or its owner."),
        ("language:cobol", "language: is one of python and javascript."),
        ("status:fine", "status: is one of implemented, blocked and not_implemented."),
    ],
)
def test_what_is_not_understood_is_said_and_left_out(text: str, said: str) -> None:
    assert read_query(f"{text} prime") == Search(words=("prime",), faults=(said,))


def test_a_filter_is_set_changed_and_taken_out_of_a_query() -> None:
    asked = 'author:mira "two words" needs:tests'
    assert with_filter(asked, "needs", "repair") == 'author:mira "two words" needs:repair'
    assert with_filter(asked, "needs", "") == 'author:mira "two words"'
    assert with_filter("", "needs", "help") == "needs:help"
