"""Watching a run: what is new is shown without moving what one reads."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.conftest import SignIn
from tests.support.browser.editor import publish
from tests.support.site import Site, becomes_quiet
from tests.support.works import (
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
)

# More lines than the log's box shows, then long enough to look at the page meanwhile.
TALKATIVE = """
import time

def Many():
    for number in range(40):
        log("line", number)
    time.sleep(1.5)
    log("the last line")
    return 1
"""


def top_of(locator: Locator) -> float:
    box = locator.bounding_box()
    assert box is not None
    return box["y"]


def test_a_run_of_others_is_followed_and_moves_no_card(live_site: Site, as_person: SignIn) -> None:
    function = define("Many")
    publish_test(function, "def test_value():\n    assert Many() == 1\n")
    implement(function, constant("Many", 1))
    assert becomes_quiet()
    page = as_person()
    page.goto(f"{live_site.url}/functions/Many/")
    expect(page.locator("#results-panel .conn")).to_have_text("Live")
    card = page.locator("#I1")
    before = top_of(card)
    implement(function, TALKATIVE, author="iris")
    expect(page.locator("[data-show=implementation]")).to_contain_text("1 new implementation")
    last = page.locator("#log .log-line", has_text="the last line").first
    expect(last).to_be_in_viewport()
    expect(page.locator("#log .log-line", has_text="line 39").first).to_contain_text(
        re.compile("(new|#2) T1")
    )
    assert top_of(card) == before


def test_a_log_that_the_reader_moved_stays_where_it_is(live_site: Site, as_person: SignIn) -> None:
    function = define("Many")
    publish_test(function, "def test_value():\n    assert Many() == 1\n")
    assert becomes_quiet()
    page = as_person()
    page.goto(f"{live_site.url}/functions/Many/")
    expect(page.locator("#results-panel .conn")).to_have_text("Live")
    page.locator("#log .log-lines").click()
    implement(function, TALKATIVE)
    expect(page.locator("#log .log-line", has_text="the last line")).not_to_have_count(0)
    expect(page.locator("[data-follow]")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#log .log-new")).to_contain_text("new lines")
    assert page.locator("#log .log-lines").evaluate("lines => lines.scrollTop") == 0


def test_who_publishes_sees_the_results_come_in(live_site: Site, as_person: SignIn) -> None:
    function = define("Many")
    publish_test(function, "def test_value():\n    assert Many() == 1\n")
    draft = draft_implementation(function, TALKATIVE, author="nora")
    page = as_person("nora")
    page.goto(f"{live_site.url}/drafts/implementation/{draft.pk}/")
    publish(page)
    expect(page.locator("#I1")).to_be_focused()
    expect(page.locator("#h-q")).to_be_in_viewport()
    expect(page.locator(".quilt .sq")).to_have_attribute("data-state", "passed")
