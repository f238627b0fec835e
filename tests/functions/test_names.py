"""Which names a function may have."""

import builtins
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.names import HELPERS, MAX_NAME_LENGTH, name_key
from functions.source.name_check import check_name
from runner.sandbox import IMPORTABLE


def code_of(name: str) -> str:
    complaint = check_name(name, importable=IMPORTABLE)
    return complaint.code if complaint else ""


@pytest.mark.parametrize(
    "name", ["Add", "add", "A", "snake_case", "WithDigits2", "Print", "Math", "x" * 80, "test"]
)
def test_an_ascii_identifier_is_a_name(name: str) -> None:
    assert code_of(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "1st",
        "two words",
        "a-b",
        "a.b",
        "Größe",
        "Add\n",
        "Ａdd",
        "<b>",
        "x" * 81,
        "_",
        "_x",
    ],
)
def test_what_code_could_not_call_is_no_name(name: str) -> None:
    assert code_of(name) == "invalid_name"


@pytest.mark.parametrize(
    "name",
    sorted({*keyword.kwlist, *dir(builtins), *HELPERS, *(n for n in IMPORTABLE if "." not in n)}),
)
def test_names_that_mean_something_already_are_reserved(name: str) -> None:
    assert code_of(name) == "reserved_name"


@given(st.text())
def test_whatever_is_accepted_is_an_identifier_of_bounded_length(name: str) -> None:
    if not code_of(name):
        assert name.isidentifier()
        assert name.isascii()
        assert len(name) <= MAX_NAME_LENGTH


def test_a_complaint_says_what_is_wrong() -> None:
    complaint = check_name("for", importable=IMPORTABLE)
    assert complaint is not None
    assert complaint.field == "name"
    assert complaint.message == "`for` is a keyword of Python. Choose another name."


def test_spellings_that_differ_in_case_are_one_name() -> None:
    assert name_key("Add") == name_key("ADD") == name_key("add")
