"""The log of a page: followed, filtered, bounded, and saying what it does not hold."""

from collections.abc import Sequence

import pytest
from playwright.sync_api import Locator, Page, expect

from functions.models import Function
from tests.browser.conftest import SignIn
from tests.patience import await_that
from tests.support.site import Site, becomes_quiet
from tests.support.sockets.event_log import write
from tests.support.works import define, implement, publish_test

MOST_LINES = 2_000
MOST_AT_ONCE = 100
# Notes how many lines are put in at once, and how many there are at most.
WATCH = """
window.atOnce = 0;
window.atMost = 0;
new MutationObserver(changes => {
  const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
  window.atOnce = Math.max(window.atOnce, added.filter(node => node.dataset?.line).length);
  window.atMost = Math.max(window.atMost, document.querySelectorAll('.log-line').length);
}).observe(document.querySelector('.log-lines'), { childList: true });
"""
CHATTY = "def Talk():\n    for number in range(2_000):\n        print('chatter', number)\n"


@pytest.fixture
def function(live_site: Site) -> Function:
    """Define `Talk`."""
    return define("Talk")


@pytest.fixture
def page(live_site: Site, as_person: SignIn, function: Function) -> Page:
    """Open its page, which is live."""
    page = as_person()
    page.goto(f"{live_site.url}/functions/Talk/")
    expect(page.locator("#results-panel .conn")).to_have_text("Live")
    return page


def say(
    function: Function,
    lines: Sequence[str],
    *,
    first: int = 0,
    key: int = 1,
    run: int = 1,
    stream: str = "out",
) -> None:
    """Write as if a program had printed these lines."""
    payload = {
        "key": f"{key:064x}",
        "attempt": 1,
        "run": run,
        "first": first,
        "lines": [[number, stream, text] for number, text in enumerate(lines)],
    }
    write(f"function:{function.pk}", [payload], kind="task.output")


def numbered(start: int, end: int) -> list[str]:
    return [f"line {number}" for number in range(start, end)]


def shown(page: Page) -> Locator:
    return page.locator("#log .log-line:visible")


def scroll_top(page: Page) -> int:
    return int(page.locator("#log .log-lines").evaluate("lines => lines.scrollTop"))


START = "lines => lines.scrollTop === 0"
END = "lines => lines.scrollTop >= lines.scrollHeight - lines.clientHeight - 1"


def go_to(page: Page, key: str, place: str) -> None:
    """Press a key as somebody would: again where that is lost in the log's own scrolling."""

    def has_worked() -> bool:
        page.keyboard.press(key)
        page.wait_for_timeout(500)
        return bool(page.locator("#log .log-lines").evaluate(place))

    await_that(has_worked, what=f"{key} has worked")


def test_following_stops_above_the_end_and_goes_on_by_a_button_or_at_the_end(
    page: Page, function: Function
) -> None:
    follow = page.locator("[data-follow]")
    follow.click()
    say(function, numbered(0, 100))
    expect(page.get_by_text("line 99", exact=True)).to_be_in_viewport()

    lines = page.locator("#log .log-lines")
    lines.focus()
    go_to(page, "Home", START)
    expect(follow).to_have_attribute("aria-pressed", "false")
    say(function, numbered(100, 150), first=100)
    more = page.locator("#log .log-new")
    expect(more).to_have_text("50 new lines")
    assert scroll_top(page) == 0

    more.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("line 149", exact=True)).to_be_in_viewport()
    expect(follow).to_have_attribute("aria-pressed", "true")
    expect(more).to_have_count(0)
    expect(lines).to_be_focused()

    page.keyboard.press("PageUp")
    expect(follow).to_have_attribute("aria-pressed", "false")
    go_to(page, "End", END)
    expect(follow).to_have_attribute("aria-pressed", "true")
    say(function, numbered(150, 200), first=150)
    expect(page.get_by_text("line 199", exact=True)).to_be_in_viewport()


def test_a_filter_goes_on_while_lines_arrive(page: Page, function: Function) -> None:
    say(function, ["one apple", "one pear"])
    expect(shown(page)).to_have_count(2)
    page.keyboard.press("l")
    field = page.get_by_role("searchbox", name="Show only lines with")
    expect(field).to_be_focused()
    page.keyboard.type("Apple")
    expect(shown(page)).to_have_count(1)
    say(function, ["another pear", "another apple", "a third apple"], first=2)
    expect(shown(page)).to_have_count(3)
    expect(page.locator("[data-log-count]")).to_have_text("3 of 5 lines")
    expect(page.locator("[data-announce]")).to_contain_text("of 2 lines")
    expect(field).to_be_focused()
    expect(field).to_have_value("Apple")
    page.keyboard.press("Escape")
    expect(shown(page)).to_have_count(5)
    expect(page.locator("[data-log-count]")).to_have_text("5 lines")


def test_kinds_of_lines_are_told_apart_from_the_keyboard(page: Page, function: Function) -> None:
    say(function, ["from the code"])
    say(function, ["from the site"], first=1, stream="sys")
    expect(shown(page)).to_have_count(2)
    page.get_by_role("button", name="All", exact=True).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Output")).to_have_attribute("aria-pressed", "true")
    expect(shown(page).locator(".log-text")).to_have_text(["from the code"])
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(shown(page)).to_have_count(0)
    say(function, ["more of it"], first=2)
    expect(page.locator("[data-log-count]")).to_have_text("0 of 3 lines")


def test_ten_megabytes_are_bounded_and_drawn_bit_by_bit(page: Page, function: Function) -> None:
    page.evaluate(WATCH)
    page.locator("[data-follow]").click()
    text = "x" * 56
    for key in range(1, 161):
        lines = [f"{text} {key:03} {line:03}" for line in range(1_000)]
        for first in range(0, 1_000, 250):
            say(function, lines[first : first + 250], first=first, key=key)
    last = page.get_by_text(f"{text} 160 999", exact=True)
    expect(last).to_be_in_viewport()
    assert page.evaluate("window.atOnce") <= MOST_AT_ONCE
    assert page.evaluate("window.atMost") <= MOST_LINES + MOST_AT_ONCE
    assert page.locator("#log .log-line").count() <= MOST_LINES
    said = page.locator("[data-log-count]")
    expect(said).to_have_text("2,000 of 160,000 lines, 130 kB of 10.4 MB")
    expect(page.locator("#log .log-cut")).to_contain_text("158,000 earlier lines not kept")
    texts = page.locator("#log .log-text").all_inner_texts()
    assert texts == [f"{text} {key:03} {line:03}" for key in (159, 160) for line in range(1_000)]


def test_what_one_reads_is_not_taken_away_by_what_follows(page: Page, function: Function) -> None:
    page.locator("[data-follow]").click()
    say(function, numbered(0, 1_000))
    expect(page.get_by_text("line 999", exact=True)).to_be_in_viewport()
    page.locator("#log .log-lines").focus()
    go_to(page, "Home", START)
    first = page.get_by_text("line 0", exact=True).first
    expect(first).to_be_in_viewport()
    for key in range(2, 9):
        say(function, numbered(0, 1_000), key=key)
    expect(page.locator("#log .log-new")).to_have_text("7,000 new lines")
    expect(first).to_be_in_viewport()
    assert page.locator("#log .log-line").count() <= MOST_LINES
    page.locator("#log .log-new").click()
    expect(page.locator("#log .log-line")).to_have_count(MOST_LINES)
    expect(page.locator("#log .log-line").last).to_be_in_viewport()
    expect(page.locator("#log .log-line").first).to_have_attribute("data-line", f"{7:064x}:1:0")


def test_a_few_huge_lines_are_too_much_as_well(page: Page, function: Function) -> None:
    page.locator("[data-follow]").click()
    for key in range(1, 41):
        say(function, ["y" * 8_000] * 8, key=key)
    expect(page.locator("[data-log-count]")).to_contain_text("B of 2.6 MB")
    expect(page.locator("#log .log-line").last).to_have_attribute("data-line", f"{40:064x}:1:7")
    assert sum(map(len, page.locator("#log .log-text").all_inner_texts())) <= 1_000_000


def test_a_program_cut_off_says_so(
    live_site: Site, as_person: SignIn, page: Page, function: Function
) -> None:
    publish_test(function, "def test_it():\n    Talk()\n")
    assert becomes_quiet()
    implement(function, CHATTY)
    expect(page.locator("#log")).to_contain_text("output cut off: 1,000 lines are allowed")
    expect(page.locator("[data-log-count]")).to_contain_text("1 program cut off")
    assert becomes_quiet()
    other = as_person()
    other.goto(f"{live_site.url}/functions/Talk/")
    expect(other.locator("#log")).to_contain_text("901 more lines")


def test_program_that_is_begun_once_more_says_all_of_it_again(
    page: Page, function: Function
) -> None:
    say(function, ["first run"])
    say(function, ["second run"], run=2)
    say(function, ["second run"], run=2)  # which comes twice
    expect(shown(page).locator(".log-text")).to_have_text(["first run", "second run"])


def test_who_comes_late_is_told_what_came_before(page: Page, function: Function) -> None:
    say(function, ["the fourth"], first=3)
    expect(page.locator("#log")).to_contain_text("3 lines from before this page was opened")
