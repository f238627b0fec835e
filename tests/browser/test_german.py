"""The main job in German: what the server says, and what scripts say while it happens."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import SignIn
from tests.support.browser.editor import write
from tests.support.site import Site
from tests.support.works import constant, define, implement, publish_test

# Words that only the English site says.
ENGLISH = re.compile(r"\b(?:the|of|with|passed|failed|running|pending|implementations?|votes?)\b")


def words_of(page_text: str) -> list[str]:
    """Return the words that aren't German; code of the page is taken out before."""
    return ENGLISH.findall(page_text)


def test_one_writes_runs_and_publishes_in_german(live_site: Site, as_person: SignIn) -> None:
    function = define("Neun")
    publish_test(function, "def test_wert():\n    assert Neun() == 9\n")
    page = as_person("nora", locale="de-DE")
    page.goto(f"{live_site.url}/functions/Neun/")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    page.locator("#implementations .col-head").get_by_role("button", name="Neu").first.click()
    write(page, "def Neun():\n    return 8\n")
    page.get_by_role("button", name="Entwurf ausführen").click()
    expect(page.locator("#results")).to_contain_text("fehlgeschlagen")
    expect(page.locator("#results")).to_contain_text("Fehlgeschlagen in Zeile 2")
    write(page, "def Neun():\n    return 9\n")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#results .sq[data-state=passed]").first).to_be_visible()
    page.get_by_role("button", name="Veröffentlichen …").click()
    page.locator("[data-publish-button]").click()
    expect(page.locator("[data-live-status]")).to_have_text("Implementiert")
    expect(page.locator("#I1[data-current]")).to_contain_text("Aktuell")


def test_a_visitor_watches_in_german_and_then_chooses_english(
    live_site: Site, as_person: SignIn
) -> None:
    function = define("Zehn")
    publish_test(function, "def test_wert():\n    assert Zehn() == 10\n")
    page = as_person(locale="de-AT")
    page.goto(f"{live_site.url}/functions/Zehn/")
    expect(page.locator("#results-panel .conn")).to_have_text("Live")
    implement(function, constant("Zehn", 11))
    implement(function, constant("Zehn", 10), author="iris")
    expect(page.locator("[data-show=implementation]")).to_have_text(
        re.compile("2 neue Implementierungen, anzeigen")
    )
    expect(page.locator("[data-live-status]")).to_have_text("Implementiert")
    expect(page.locator('.quilt .sq[title^="#2 iris, T1"]')).to_have_attribute(
        "title", re.compile("bestanden")
    )
    page.evaluate("document.querySelectorAll('code, pre').forEach((one) => one.remove())")
    assert words_of(page.locator("body").inner_text()) == []
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("[data-live-status]")).to_have_text("Implemented")
