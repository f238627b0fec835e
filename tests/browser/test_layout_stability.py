"""Nothing moves by itself: what one reads stays where it is while a page is kept up to date."""

import pytest
from playwright.sync_api import Page, expect

from functions.models import Function
from runner.models import Batch
from tests.browser.conftest import LOOKS_FOR_NEWER_MS, SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import constant, define, draft_implementation, implement, publish_test

SCREENS = ({"width": 1280, "height": 2400}, {"width": 390, "height": 4000})
# What the browser itself saw move up or down, but for lines that scroll in their own box.
WATCH = """
() => {
  window.moved = [];
  new PerformanceObserver(list => {
    for (const { sources } of list.getEntries()) {
      for (const { node, previousRect: before, currentRect: after } of sources) {
        const element = node?.nodeType === 1 ? node : node?.parentElement;
        const isOurs = element && !element.closest('.log-lines, .cm-editor');
        if (isOurs && before.width && after.width && before.y !== after.y) {
          window.moved.push(`${before.y} to ${after.y}: ${element.outerHTML.slice(0, 100)}`);
        }
      }
    }
  }).observe({ type: 'layout-shift' });
}
"""
CODE = "def Calm(*args):\n    for line in range(60):\n        print('line', line)\n    return 5\n"


def watched(page: Page, url: str, pill: str) -> Page:
    page.goto(url)
    expect(page.locator(pill)).to_have_text("Live")
    page.wait_for_timeout(500)  # what moves when it is loaded is not our matter
    page.evaluate(WATCH)
    return page


def nothing_moved(page: Page) -> None:
    page.wait_for_timeout(500)
    assert "\n".join(page.evaluate("window.moved")) == ""


def calm(live_site: Site) -> Function:
    function = define("Calm")
    publish_test(function, "def test_value():\n    assert Calm() == 5\n")
    implement(function, constant("Calm", 4))
    assert becomes_quiet()
    return function


def test_a_functions_page_stays_as_it_is_while_others_publish(
    live_site: Site, as_person: SignIn
) -> None:
    function = calm(live_site)
    pages = [
        watched(
            as_person(viewport=size), f"{live_site.url}/functions/Calm/", "#results-panel .conn"
        )
        for size in SCREENS
    ]
    implement(function, CODE, author="iris")
    publish_test(function, "def test_other():\n    assert Calm(1) == 5\n")
    for page in pages:
        expect(page.locator("[data-show=test]")).to_contain_text("1 new test")
        expect(page.locator("[data-live-status]")).to_have_text("Implemented")
        expect(page.locator("#log")).to_contain_text("line 59")
    assert becomes_quiet()
    for page in pages:
        nothing_moved(page)


@pytest.mark.parametrize("size", SCREENS, ids=["wide", "narrow"])
def test_a_drafts_page_stays_as_it_is_while_one_types_beside_a_run(
    live_site: Site, as_person: SignIn, size: dict[str, int]
) -> None:
    draft = draft_implementation(calm(live_site), CODE, author="nora")
    page = watched(
        as_person("nora", viewport=size),
        f"{live_site.url}/drafts/implementation/{draft.pk}/",
        "#results .conn",
    )
    live_site.pause_workers()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-progress]")).to_contain_text("0 of")
    live_site.resume_workers()
    page.keyboard.type("# and on", delay=100)
    expect(page.locator("#results .quilt .sq")).to_have_attribute("data-state", "passed")
    page.keyboard.type(" to the end")
    expect(page.locator(".cm-content")).to_contain_text("# and on to the end")
    expect(page.locator(".cm-content")).to_be_focused()
    nothing_moved(page)


def test_the_list_of_runs_stays_as_it_is_when_there_are_newer_ones(
    live_site: Site, as_person: SignIn
) -> None:
    function = calm(live_site)
    live_site.pause_workers()
    implement(function, CODE, author="iris")
    pages = [as_person(viewport=size) for size in SCREENS]
    for page in pages:
        page.clock.install()
        watched(page, f"{live_site.url}/runs/", "main .page-head .conn")
    publish_test(function, "def test_other():\n    assert Calm(1) == 5\n")
    live_site.resume_workers()
    for page in pages:
        page.clock.fast_forward(LOOKS_FOR_NEWER_MS)
        expect(page.get_by_role("link", name="Show newer runs")).to_be_visible()
    assert becomes_quiet()
    for page in pages:
        nothing_moved(page)


def test_a_runs_page_keeps_what_is_selected_and_focused(live_site: Site, as_person: SignIn) -> None:
    function = calm(live_site)
    live_site.pause_workers()
    implement(function, CODE, author="iris")
    batch = Batch.objects.latest("pk")
    page = watched(as_person(), f"{live_site.url}/runs/{batch.pk}/", "main .page-head .conn")
    page.locator("#tasks tbody th").last.select_text()
    page.locator("#tasks nav a").first.focus()
    page.evaluate("document.querySelector('#tasks tbody tr').mark = 'the same row'")
    live_site.resume_workers()
    expect(page.locator("#run-head")).to_contain_text("complete")
    assert page.evaluate("String(getSelection())") != ""
    expect(page.locator("#tasks nav a").first).to_be_focused()
    assert page.evaluate("document.querySelector('#tasks tbody tr').mark") == "the same row"
