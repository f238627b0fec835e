"""A name in code leads to its function, and a card says what that is."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from functions.authoring import revise_function
from functions.models import Function
from tests.browser.conftest import SignIn
from tests.support.browser.editor import write
from tests.support.site import Site, becomes_quiet
from tests.support.works import account, constant, define, draft_implementation, implement

USER = "# <<Ten>>\ndef Twenty():\n    return Ten() + Ten()\n"


@pytest.fixture
def function(live_site: Site) -> Function:
    """Publish `Ten`, and `Twenty`, which uses it twice."""
    ten, twenty = define("Ten"), define("Twenty")
    revise_function(
        actor=account("olga"), function=ten, signature="(*args)", description="It is *ten*."
    )
    implement(ten, constant("Ten", 10))
    implement(twenty, USER)
    assert becomes_quiet()
    return twenty


def card_is_within_the_window(page: Page) -> None:
    card, size = page.locator("#hover-card"), page.viewport_size
    box = card.bounding_box()
    assert box
    assert size
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] + box["height"] <= size["height"]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_the_pointer_and_the_keyboard_get_a_card(
    live_site: Site, as_person: SignIn, function: Function, scheme: str, width: int
) -> None:
    page = as_person(color_scheme=scheme, viewport={"width": width, "height": 700})
    page.goto(f"{live_site.url}/functions/Twenty/")
    card, uses = page.locator("#hover-card"), page.locator("#I1 a.use")
    expect(uses).to_have_text(["Ten", "Ten"])
    expect(card).to_be_hidden()
    uses.last.scroll_into_view_if_needed()
    before = page.locator("#I1").bounding_box()
    uses.last.hover()
    for said in ("Ten(*args)", "Implemented", "It is ten.", "Owner olga", "1 implementation"):
        expect(card).to_contain_text(said)
    expect(uses.last).to_have_accessible_description(card.inner_text().replace("\n", " "))
    card_is_within_the_window(page)
    assert page.locator("#I1").bounding_box() == before
    found = Axe().run(page, options={"runOnly": ["color-contrast", "aria-allowed-role"]})
    assert found.violations_count == 0, found.generate_report()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    marker = page.locator("#I1 a.dep")
    title = marker.get_attribute("title")
    page.keyboard.press("Tab")
    marker.focus()
    expect(card).to_contain_text("It is ten.")
    expect(marker).to_have_attribute("aria-describedby", "hover-card")
    card_is_within_the_window(page)
    page.keyboard.press("Tab")
    expect(card).to_be_hidden()
    assert marker.get_attribute("title") == title
    marker.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{live_site.url}/functions/Ten/")


def test_a_tap_opens_the_page_and_without_a_script_a_click_does(
    live_site: Site, as_person: SignIn, function: Function
) -> None:
    page = as_person(has_touch=True, viewport={"width": 390, "height": 700})
    page.goto(f"{live_site.url}/functions/Twenty/")
    page.locator("#I1 a.use").first.tap()
    expect(page).to_have_url(f"{live_site.url}/functions/Ten/")
    page = as_person(java_script_enabled=False)
    page.goto(f"{live_site.url}/functions/Twenty/")
    page.locator("#I1 a.use").first.click()
    expect(page).to_have_url(f"{live_site.url}/functions/Ten/")


def test_the_editor_shows_cards_of_names_and_opens_their_pages(
    live_site: Site, as_person: SignIn, function: Function
) -> None:
    code = f"{USER}\n\ndef other(Ten):\n    return Ten\n"
    draft = draft_implementation(function, code, author="nora")
    page = as_person("nora")
    page.goto(f"{live_site.url}/drafts/implementation/{draft.pk}/")
    uses = page.locator(".cm-line .use")
    expect(uses).to_have_text(["Ten", "Ten"])
    uses.first.hover()
    expect(page.locator("#hover-card")).to_contain_text("It is ten.")
    with page.context.expect_page() as opened:
        uses.first.click(modifiers=["ControlOrMeta"])
    expect(opened.value).to_have_url(f"{live_site.url}/functions/Ten/")
    write(page, "# <<Missing>>\ndef Twenty():\n    return Missing()\n")
    expect(page.locator(".cm-line .use")).to_have_attribute("data-status", "missing")
