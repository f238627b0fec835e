"""Code, Markdown, signatures and avatars as they are shown."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.read_models.links import FunctionLink
from functions.views.avatars import avatar
from functions.views.markdown import first_paragraph, markdown
from functions.views.markup import code_lines, signature

ADD = {"add": FunctionLink(name="Add", status="implemented")}


def text_of(markup: str) -> str:
    plain = re.sub(r"<[^>]*>", "", markup)
    for entity, character in (
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&amp;", "&"),
    ):  # fmt: skip
        plain = plain.replace(entity, character)
    return plain


def test_each_line_of_code_is_one_numbered_span() -> None:
    lines = code_lines("def f():\n    return 1\n", {})
    assert [line.count('<span class="line"') for line in lines] == [1, 1]
    assert 'data-n="2"' in lines[1]
    assert '<span class="k">return</span>' in lines[1]


def test_a_marker_is_a_link_to_its_function() -> None:
    (line,) = code_lines("# Uses <<Add>>.", ADD)
    link = (
        '<a class="dep" data-status="implemented" href="/functions/Add/" title="Add: implemented">'
    )
    assert f"{link}&lt;&lt;Add&gt;&gt;</a>" in line


def test_a_marker_of_a_name_that_does_not_exist_is_shown_as_missing() -> None:
    (line,) = code_lines("# <<Nowhere>>", {})
    assert 'data-status="missing"' in line
    assert 'href="/functions/Nowhere/"' in line


def test_the_old_spelling_of_a_marker_is_shown_as_the_new_one() -> None:
    (line,) = code_lines("# {{Add}}", ADD)
    assert text_of(line) == "# <<Add>>\n"


def test_a_marker_in_the_middle_of_a_docstring_is_linked_at_its_place() -> None:
    lines = code_lines('def f():\n    """As <<Add>> does,\n    but <<Add>> slower."""\n', ADD)
    assert [line.count("<a ") for line in lines] == [0, 1, 1]
    assert text_of(lines[2]) == '    but <<Add>> slower."""\n'


def test_what_a_marker_brings_is_a_link_wherever_the_code_uses_it() -> None:
    lines = code_lines("# <<Add>>\nx = Add(1)  # Add\ny = 'Add'\n", ADD)
    use = '<a class="use" data-status="implemented" href="/functions/Add/" tabindex="-1">Add</a>'
    assert [line.count(use) for line in lines] == [0, 1, 0]
    assert text_of("".join(lines)) == "# <<Add>>\nx = Add(1)  # Add\ny = 'Add'\n"
    assert "<a " not in "".join(code_lines("x = Add(1)\n", ADD))  # not marked
    (_, missing) = code_lines("# <<Gone>>\n@Gone\n", {})
    assert '<a class="use" data-status="missing" href="/functions/Gone/"' in missing


def test_shifts_are_no_markers() -> None:
    (line,) = code_lines("x = 1 <<Add>> 2", ADD)
    assert "<a " not in line


def test_the_line_that_went_wrong_is_marked() -> None:
    lines = code_lines("a = 1\nb = 2", {}, marks={2: "error"})
    assert "data-mark" not in lines[0]
    assert 'data-mark="error"' in lines[1]


@given(
    st.text(alphabet=st.characters(exclude_characters="\r\x00\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
)
def test_whatever_is_typed_is_shown_as_it_is_and_can_do_nothing(source: str) -> None:
    lines = code_lines(source, {})
    shown = re.sub(r"\{\{(\w+)\}\}", r"<<\1>>", source.rstrip("\n"))
    assert re.sub(r"\{\{(\w+)\}\}", r"<<\1>>", text_of("".join(lines))) == shown + "\n"
    assert set(re.findall(r"</?(\w+)", "".join(lines))) <= {"span", "a"}


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        '<img src=x onerror="alert(1)">',
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        '<a href="https://example.org" onclick="alert(1)">x</a>',
    ],
)
def test_markdown_can_not_act_on_the_page(attack: str) -> None:
    markup = markdown(attack)
    assert not re.search(r"<(script|img)|href=.?(javascript|data)|<[^>]* on\w+=", markup)


def test_markers_in_markdown_are_links_but_not_in_code_nor_in_links() -> None:
    link = '<a class="dep" href="/functions/Add/">&lt;&lt;Add&gt;&gt;</a>'
    assert markdown("<<Add>>") == f"<p>{link}</p>\n"
    assert "dep" not in markdown("`<<Add>>` [<<Add>>](https://example.org) << Add >> <<<Add>>>")
    assert first_paragraph("Like <<Add>>.") == "Like <<Add>>."


def test_blocks_of_code_in_markdown_have_links_too() -> None:
    shown = markdown("```python\n# <<Add>> & more\nAdd(1)\n```", ADD)
    assert shown.count("<a ") == 2
    assert text_of(shown) == "# <<Add>> & more\nAdd(1)\n\n"
    assert '<a class="use" href="/functions/Add/">Add</a>(1)' in markdown(
        "    # <<Add>>\n    Add(1)"
    )
    assert ">&quot;City&quot;</a>" in markdown('```\n{"a": {"key": "City"}}\n```')


def test_markdown_is_rendered() -> None:
    assert markdown("**Bold** and `code`") == "<p><strong>Bold</strong> and <code>code</code></p>\n"


def test_lists_show_the_first_paragraph_of_a_description_without_its_markup() -> None:
    assert first_paragraph("The *sum* of\n`a` & `b`.\n\nMore.") == "The sum of a & b."


def test_types_of_a_signature_are_set_off_and_its_arrow_drawn() -> None:
    shown = signature("(a: list[int], b: str = 'x') -> tuple[int, int]")
    assert text_of(shown) == "(a: list[int], b: str = 'x') → tuple[int, int]"
    assert re.findall(r'class="ty">(\w+)<', shown) == ["list", "int", "str", "tuple", "int", "int"]


def test_a_signature_is_only_text() -> None:
    assert "<b>" not in signature("<b>(a)</b>")


def test_an_avatar_is_the_same_wherever_a_name_appears() -> None:
    assert avatar("mira") == avatar("Mira")
    assert avatar("mira") != avatar("otto")
