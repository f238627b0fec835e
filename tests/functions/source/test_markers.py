"""Markers are found by tokens: in comments and strings, and nowhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.names import is_identifier
from functions.source.markers import Marker, check_spelling, find_markers


def names(source: str) -> list[str]:
    return [marker.name for marker in find_markers(source).markers]


@pytest.mark.parametrize(
    "source",
    [
        "# <<Add>>",
        "x = 1  # uses <<Add>>, of course",
        '"<<Add>>"',
        "'''\nSums by <<Add>>.\n'''",
        "b'<<Add>>'",
        "r'\\<<Add>>'",
        "f'{x} <<Add>>'",
        "# {{Add}}",
    ],
)
def test_a_marker_is_found_in_a_comment_or_a_string(source: str) -> None:
    assert names(source) == ["Add"]


@pytest.mark.parametrize(
    "source",
    [
        "1 <<Add>> 2",
        "x = a<<Add>>b",
        "f'{1<<Add>>2}'",
        "f'{{Add}}'",
        "f'{x:<<5}{y:>>5}'",
        "'{{Add}}'",
        "# 1 << 2 >> 3",
        "# <<<Add>>>",
        "# <<<<<<< Add",
        "# {{{Add}}}",
        "'a << b'; c >> d",
    ],
)
def test_arithmetic_and_braces_are_no_markers(source: str) -> None:
    found = find_markers(source)
    assert found.markers == ()
    assert found.complaints == ()


@pytest.mark.parametrize(
    ("source", "column"),
    [("# <<1st>>", 3), ("# <<two words>>", 3), ("x = '<<>>'", 6), ("# {{a-b}}", 3)],
)
def test_a_marker_that_is_no_name_is_a_complaint_with_its_place(source: str, column: int) -> None:
    found = find_markers(f"pass\n{source}\n")
    assert found.markers == ()
    (complaint,) = found.complaints
    assert (complaint.code, complaint.field) == ("invalid_marker", "code")
    assert (complaint.line, complaint.column) == (2, column)


def test_every_marker_has_its_place_in_the_text() -> None:
    source = 'x = """<<A>> and\n  <<B>>"""  # <<C>> {{D}}\r\n# ü <<E>>\n'
    lines = source.replace("\r\n", "\n").split("\n")
    found = find_markers(source).markers
    assert [marker.name for marker in found] == ["A", "B", "C", "D", "E"]
    for marker in found:
        assert lines[marker.line - 1][marker.column : marker.end_column] == marker.spelled


@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n  # <<Add>>\n",
        "x = (\n# <<Add>>\n",
        "  # <<Add>>\n x\n   y\n  z",
        "if x:\n        y\n    z\n# <<Add>>",
        "x = 'unclosed\n# <<Add>>",
        '# <<Add>>\n"""unclosed',
    ],
)
def test_unfinished_code_shows_the_markers_that_can_be_made_out(source: str) -> None:
    assert names(source) == ["Add"]


@given(st.text(alphabet=st.sampled_from("<>{}#'\"\\ \n\tAdd1_f(:)\0é")))
def test_no_text_breaks_the_search(source: str) -> None:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for marker in find_markers(source).markers:
        assert is_identifier(marker.name)
        assert lines[marker.line - 1][marker.column : marker.end_column] == marker.spelled


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60).filter(lambda t: "\r" not in t))
def test_in_comments_every_marker_is_found(text: str) -> None:
    comment = "# " + " ".join(text.split()).translate(dict.fromkeys(map(ord, "<>{}\0\f\v")))
    assert names(f"{comment} <<Add>>\n")[-1:] == ["Add"]


def test_a_spelling_in_another_case_is_told_the_right_one() -> None:
    known = {"add": "Add", "gcd": "gcd"}
    markers = find_markers("# <<add>> <<gcd>> <<Unknown>>").markers
    (complaint,) = check_spelling(markers, known)
    assert complaint.message == "<<add>> is spelled <<Add>>."
    assert (complaint.line, complaint.column) == (1, 3)


def test_the_first_marker_of_a_name_stands_for_all() -> None:
    first = find_markers("# <<Add>>\n# <<add>> <<Add>>\n").first_by_key()
    assert first == {"add": Marker("Add", 1, 2, 9, "<<Add>>")}
