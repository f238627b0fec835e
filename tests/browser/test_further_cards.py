"""The code of cards further down arrives as one scrolls or jumps; without a script, by a link."""

from playwright.sync_api import expect

from functions.views.cards import OPEN_CARDS
from tests.browser.conftest import SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import constant, define, implement

WORKS = 24


def crowd(site: Site) -> str:
    """Publish many implementations; return the address of their function's page."""
    function = define("Crowd")
    for value in range(WORKS):
        implement(function, constant("Crowd", value), author="ida")
    assert becomes_quiet()
    return f"{site.url}/functions/Crowd/"


def test_code_arrives_as_one_scrolls_and_as_one_jumps(live_site: Site, as_person: SignIn) -> None:
    page = as_person("nora")
    page.goto(crowd(live_site))
    cards = page.locator("#implementations .card")
    expect(cards).to_have_count(WORKS)
    closed = page.locator("#implementations .card:not(:has(> .card-code))")
    last = cards.last
    expect(last.locator(".card-code")).to_have_count(0)
    last.evaluate("card => card.focus()")
    expect(last.locator(".card-code")).to_be_visible()
    # Its buttons work like those of other cards.
    last.locator("[data-vote=up]").click()
    expect(last.locator(".vote output")).to_have_text("1")
    assert closed.count() > 0
    for _ in range(WORKS):
        page.mouse.wheel(0, -600)
        page.wait_for_timeout(50)
    expect(closed).to_have_count(0)


def test_without_a_script_a_link_shows_the_code(live_site: Site, as_person: SignIn) -> None:
    page = as_person(java_script_enabled=False)
    page.goto(crowd(live_site))
    expect(page.locator("#implementations .card-code")).to_have_count(OPEN_CARDS)
    last = page.locator("#implementations .card").last
    last.get_by_role("link", name="Show code").click()
    expect(last.locator(".card-code")).to_be_visible()
