"""Whatever people write, showing it takes time in proportion to its length, and not much."""

import gc
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.authoring.definitions import MAX_DESCRIPTION_LENGTH, MAX_SIGNATURE_LENGTH
from functions.kinds.page_uses import find_uses as find_page_uses
from functions.kinds.python_uses import find_uses
from functions.sized_cache import SizedCache
from functions.source.diff import compare
from functions.source.markers import find_markers, names_in
from functions.source.search_query import MAX_QUERY_LENGTH, read_query, with_filter
from functions.source.validation import MAX_SOURCE_BYTES
from functions.templatetags.history import diff, linked
from functions.views import markdown as markdown_module
from functions.views.markdown import (
    MAX_PAGE_STEPS,
    MAX_STEPS,
    Prose,
    _render,
    first_paragraph,
    markdown,
)
from functions.views.markup import line_markup, signature

# Twice the text may take this many times as long; twice is what is meant, four times are quadratic.
MOST_GROWTH = 2.6
# What is over sooner is not worth measuring.
SHORT_SECONDS = 0.02
# The longest that any of these may take, in what a second of this machine is.
MOST_OF_A_SECOND = 1.5
TRIES = 4
# Of fragments nobody has thought of; `make fuzz` looks for more.
EXAMPLES = int(os.environ.get("FRAGMENTS", "15"))


def compare_lines(text: str) -> None:
    """Compare a text's lines with the same in another order, and show that."""
    lines = text.split("\n")
    diff(compare(lines, [*lines[1::2], *lines[::2]]), "")


# What is done with a text, and how long such a text may be.
CODE: dict[str, tuple[Callable[[str], object], int]] = {
    "highlighting": (lambda text: line_markup(text, {}), MAX_SOURCE_BYTES),
    "markers": (find_markers, MAX_SOURCE_BYTES),
    "uses": (lambda text: find_uses(f"({text}", {"a", "x", "A"}), MAX_SOURCE_BYTES),
    "uses in pages": (lambda text: find_page_uses(f"{{{{{text}", {"a"}), MAX_SOURCE_BYTES),
    "differences": (compare_lines, MAX_SOURCE_BYTES),
}
PROSE: dict[str, tuple[Callable[[str], object], int]] = {
    "Markdown": (_render, MAX_DESCRIPTION_LENGTH),
    "first paragraph": (first_paragraph.__wrapped__, MAX_DESCRIPTION_LENGTH),
    "markers in prose": (names_in, MAX_DESCRIPTION_LENGTH),
    "signature": (signature.__wrapped__, MAX_SIGNATURE_LENGTH),
    "query": (read_query, MAX_QUERY_LENGTH),
    "filter": (lambda text: with_filter(text, "status", "blocked"), MAX_DESCRIPTION_LENGTH),
    "cause": (lambda text: linked(text, "F"), MAX_DESCRIPTION_LENGTH),
}
CODE_FRAGMENTS = (
    *(
        "(",
        "{\n",
        "'",
        '"',
        "'''",
        "\\\n",
        "'\\\n",
        "\\'\n",
        "\n",
        " ",
        "    \n",
        "\0",
        "@a",
        "a=",
        "_1",
    ),
    *(
        "f'{",
        "f'''{x:",
        "f'{a!r:",
        "'{a}",
        "f'{{",
        "'\\N{",
        "'%(a",
        "'<<A>>'",
        "# <<A>>\n",
        "# <<a ",
    ),
    *(
        "# {{a ",
        "<<A",
        "é",
        "\u202e'",
        "a\n",
        "1.",
        "match ",
        "rb'",
        "x = 'no\n",
        "if x:\n  ",
        "0x",
        "<",
    ),
)
PROSE_FRAGMENTS = (
    *("[", "![", "[[]", "![[]", "[a](", "[a](<b", "[a][b]", "[a]: /u\n", "](", "[`", "[*a", "[![]"),
    *(
        "*",
        "*a_ ",
        "**a",
        "*_",
        "a**b",
        "_a ",
        "`",
        "`a``b",
        "<",
        "<a ",
        "<!--",
        "<![CDATA[",
        "<a@a",
    ),
    *("<<A>>", "<<A", "&", "&#1", "\\", "> a\n", "- a\n", "- a\n\n", "1. ", "-\n", "# a\n", "a\n="),
    *(
        "a|b\n-|-\n",
        "|a\n",
        "|-\n",
        "~~~\n",
        "```\n",
        "\n",
        " ",
        "\n ",
        "\t",
        "é",
        "<http://é/>",
        "a:",
    ),
    *(
        "a -> ",
        "[a](/%",
        '"a ',
        "a:b ",
        "run 1 ",
        "test T1",
        "implementation #1",
        "a changed",
        "\0",
    ),
)
TEXTS_OF_THEIR_OWN: dict[str, Callable[[int], str]] = {
    "a quote within a hundred": lambda size: ">" * 95 + "a\n" + "b\n" * ((size - 97) // 2),
    "stairs": lambda size: "".join("  " * depth + "- a\n" for depth in range(int(size**0.5)))[
        :size
    ],
    "brackets, then as many": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "links in links": lambda size: "[" * (size // 5) + "a" + "](b)" * (size // 5),
    "stars around": lambda size: "*" * (size // 2) + "a" + "*" * (size // 2),
    "a definition of many lines": lambda size: "[a]: /u '" + "x\n" * (size // 2),
    "a definition, then uses": lambda size: "[a]: /u\n\n" + "[" * size,
    "a wide table": lambda size: "|" * (size // 3) + "\n" + "-|" * (size // 3) + "\n",
    "a square table": lambda size: table_of(size // 6, size // 3),
    "tables": lambda size: (table_of(50, 250) + "\n") * (size // 700),
}


def table_of(columns: int, rows: int) -> str:
    return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + "|\n" * rows


def filled_with(fragment: str, size: int) -> str:
    return fragment * (size // len(fragment.encode()))


def texts(size: int, fragments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for fragment in fragments:
        yield repr(fragment), filled_with(fragment, size)
    if fragments is PROSE_FRAGMENTS:
        for name, make in TEXTS_OF_THEIR_OWN.items():
            yield name, make(size)


def seconds_of(work: Callable[[str], object], text: str) -> float:
    """Return the processor's time for it."""
    gc.collect(0)
    gc.disable()
    try:
        begun = time.thread_time()
        work(text)
        return time.thread_time() - begun
    finally:
        gc.enable()


@pytest.fixture(scope="module")
def second() -> float:
    """How long this machine takes for what takes a second elsewhere."""

    def count(_text: str) -> None:
        held = {}
        for number in range(4_000_000):
            held[number & 1023] = number

    return max(0.5, min(seconds_of(count, "") for _ in range(3)) / 0.25)


def check_cost(work: Callable[[str], object], make: Callable[[int], str], size: int) -> str:
    """Return what is wrong with the time that it takes; tries again where others were at work."""
    said = ""
    for _ in range(TRIES):
        half, whole = (seconds_of(work, make(some)) for some in (size // 2, size))
        said = f"{half:.3f} s, and for twice as much {whole:.3f} s"
        if whole < SHORT_SECONDS or whole < MOST_GROWTH * half:
            return ""
    return said


@pytest.mark.parametrize(
    ("name", "fragments"),
    [*product(CODE, [CODE_FRAGMENTS]), *product(PROSE, [PROSE_FRAGMENTS])],
    ids=[*CODE, *PROSE],
)
def test_twice_the_text_takes_twice_the_time(
    name: str, fragments: tuple[str, ...], second: float
) -> None:
    work, size = {**CODE, **PROSE}[name]
    found = {}
    for place, (label, whole) in enumerate(texts(size, fragments)):
        if name == "differences" and "\n" not in whole:
            continue
        taken = seconds_of(work, whole)
        if taken > MOST_OF_A_SECOND * second:
            found[label] = f"{taken:.2f} s of at most {MOST_OF_A_SECOND * second:.2f}"
        elif taken > SHORT_SECONDS:
            make = lambda some, place=place: [*texts(some, fragments)][place][1]  # noqa: E731
            if said := check_cost(work, make, size):
                found[label] = said
    assert not found


@settings(max_examples=EXAMPLES)
@given(st.text(alphabet="[]()<>!*_`|-+#&;:\\/'\"{}@$%=~.,\n\t\r 01aAé\0", min_size=1, max_size=6))
def test_no_other_fragment_takes_long_either(fragment: str) -> None:
    for work, size in (*CODE.values(), *PROSE.values()):
        some = min(size, MAX_DESCRIPTION_LENGTH)
        make = partial(filled_with, fragment)
        if seconds_of(work, make(some)) > 0.25:
            assert not check_cost(work, make, some)


# --- Markdown ---------------------------------------------------------------------------------

DEAR = "[" * 10_000
PLAIN = "plain **words**"


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown_module, "_kept", SizedCache(1_000_000))


def test_what_is_too_dear_is_shown_as_it_was_typed() -> None:
    assert markdown(DEAR) == f"<p>{DEAR}</p>"
    assert markdown("<b>\n" + DEAR) == f"<p>&lt;b&gt;<br>\n{DEAR}</p>"
    assert _render(DEAR)[1] <= MAX_STEPS + 1


def test_a_table_that_is_filled_up_has_only_so_many_cells() -> None:
    assert "<td>" in markdown(table_of(20, 20))
    assert "<td>" not in markdown(table_of(200, 200))


def test_a_page_takes_no_more_steps_for_many_texts() -> None:
    """Those that were too many are rendered when it is read again, as all others are kept."""
    texts_of_page = [*(f"{DEAR}{number}" for number in range(300)), PLAIN]
    steps, shown = [], []
    for _ in range(2):
        prose = Prose()
        shown = [prose.markup(text) for text in texts_of_page[-30:]]
        steps.append(MAX_PAGE_STEPS - prose._steps_left)
    assert max(steps) <= MAX_PAGE_STEPS + MAX_STEPS
    while "<strong>" not in shown[-1]:
        prose = Prose()
        shown = [prose.markup(text) for text in texts_of_page[-30:]]
        steps.append(MAX_PAGE_STEPS - prose._steps_left)
        assert len(steps) < 10
    assert shown[-1] == markdown(PLAIN)


def test_a_page_has_only_so_many_links_for_markers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown_module, "MAX_PAGE_LINKS", 3)
    shown = Prose({}).markup("<<A>> " * 5)
    assert shown.count("<a ") == 3
    assert shown.count("&lt;&lt;A&gt;&gt;") == 5


def test_nobody_writes_what_stands_for_a_marker() -> None:
    seam = markdown_module._SEPARATOR
    parts, _ = _render(f"<<A>> `<<B>>` {seam[:-1]} <<C>>")
    assert parts[1::2] == ("A", "C")


def test_a_cache_forgets_what_was_used_longest_ago() -> None:
    cache: SizedCache[str, int] = SizedCache(10)
    cache.put("a", 1, 4)
    cache.put("b", 2, 4)
    assert cache.get("a") == 1
    cache.put("c", 3, 4)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    cache.put("d", 4, 11)
    assert [cache.get(key) for key in "abcd"] == [None] * 4
