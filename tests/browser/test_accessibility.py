"""Reading needs no script, no mouse and no eyes."""

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from functions.models import Function
from functions.moderation.comments import reply_to, write_comment
from tests.browser.conftest import SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
    vote,
)

# In the dark nothing but colours is different.
AXE_RULES: dict[Literal["light", "dark"], dict[str, list[str]]] = {
    "light": {},
    "dark": {"runOnly": ["color-contrast", "link-in-text-block"]},
}


@pytest.fixture
def function(live_site: Site) -> Function:
    """Publish `Ten` with a current implementation, a failing one and one that is blocked."""
    function = define("Ten")
    publish_test(function, "def test_value():\n    assert Ten() == 10\n", author="tess")
    right = implement(function, constant("Ten", 10))
    implement(function, constant("Ten", 9), author="iris")
    implement(function, "# <<Gone>>\ndef Ten():\n    return Gone()\n", author="otto")
    vote(right, up="nora")
    assert becomes_quiet()
    return function


def test_function_page_is_whole_without_a_script(
    live_site: Site, as_person: SignIn, function: Function
) -> None:
    page = as_person(java_script_enabled=False)
    page.goto(f"{live_site.url}/")
    page.locator(".list").get_by_role("link", name="Ten", exact=True).click()
    expect(page.locator(".quilt .sq")).to_have_count(3)
    states = page.locator(".quilt .sq").evaluate_all(
        "squares => squares.map(square => square.dataset.state)"
    )
    assert sorted(states) == ["broken", "failed", "passed"]
    expect(page.locator("#I1 .card-flag")).to_contain_text("Current")
    expect(page.locator("#log")).to_contain_text("9 == 10")
    failed = page.locator(".quilt .sq[data-state=failed]")
    expect(failed).to_have_accessible_name("#2 iris, T1: failed")
    failed.click()
    expect(page.locator("h1")).to_contain_text("Failed on line 2")
    expect(page.locator("main")).to_contain_text("return 9")
    expect(page.locator(".line[data-mark=error]")).to_contain_text("assert Ten() == 10")


def test_votes_and_drafts_work_without_a_script(
    live_site: Site, as_person: SignIn, function: Function
) -> None:
    page = as_person("wren", java_script_enabled=False)
    page.goto(f"{live_site.url}/functions/Ten/")
    with page.expect_navigation():
        page.locator("#I2 [data-vote=up]").click()
    assert becomes_quiet()  # the vote is counted
    page.reload()
    expect(page.locator("#I2 .vote output")).to_have_text("1")
    page.locator("#implementations .col-head").get_by_role("button").first.click()
    page.fill("textarea[name=code]", "def Ten():\n    return 5 +\n")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Run draft").click()
    expect(page.locator("#errors")).to_contain_text("Line 2")
    expect(page.locator("textarea[name=code]")).to_have_value("def Ten():\n    return 5 +\n")


def test_quilt_is_one_tab_stop_and_arrows_move_in_it(
    live_site: Site, as_person: SignIn, function: Function
) -> None:
    publish_test(function, "def test_twice():\n    assert Ten() + Ten() == 20\n")
    assert becomes_quiet()
    page = as_person()
    page.goto(f"{live_site.url}/functions/Ten/")
    squares = page.locator(".quilt .sq")
    expect(squares).to_have_count(6)
    expect(page.locator(".quilt .sq[tabindex='0']")).to_have_count(1)
    squares.first.focus()
    page.keyboard.press("ArrowRight")
    expect(squares.nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(squares.nth(3)).to_be_focused()
    page.keyboard.press("Home")
    expect(squares.nth(2)).to_be_focused()
    expect(page.locator("#inspect")).to_contain_text("#3 otto")
    page.keyboard.press("Enter")
    expect(squares.nth(2)).to_have_attribute("aria-current", "true")


def test_single_keys_reach_cards_search_and_help(
    live_site: Site, as_person: SignIn, function: Function
) -> None:
    page = as_person("olga")
    page.goto(f"{live_site.url}/functions/Ten/")
    page.keyboard.press("j")
    expect(page.locator("#T1")).to_be_focused()
    page.keyboard.press("v")
    expect(page.locator("#T1 .vote output")).to_have_text("1")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.get_by_label("Single keys on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_label("Single keys on").check()
    page.keyboard.press("Escape")
    expect(page.locator(".toast")).to_have_count(0)
    page.keyboard.press("r")
    expect(page.locator(".toast")).to_contain_text("has started")
    page.keyboard.press("/")
    expect(page.locator("input[type=search]").first).to_be_focused()
    page.keyboard.type("jjj?")
    expect(page.locator("input[type=search]").first).to_have_value("jjj?")


def test_theme_is_kept(live_site: Site, as_person: SignIn, function: Function) -> None:
    page = as_person()
    page.goto(live_site.url)
    page.get_by_role("button", name="Dark").click()
    page.goto(f"{live_site.url}/functions/Ten/")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_pages_have_no_fault_that_axe_finds_and_no_colours_in_the_dark(
    live_site: Site, as_person: SignIn, function: Function
) -> None:
    comment = write_comment(actor=account("nora"), subject=function, text="Why <<Gone>>?")
    reply_to(actor=account("otto"), comment=comment, text="So.")
    draft = draft_implementation(function, "# <<Gone>>\ndef Ten():\n    return 2\n", author="nora")
    page = as_person("nora", reduced_motion="reduce")
    key = page_key(page, live_site)
    for path in (
        "/", "/functions/Ten/", "/functions/Gone/", "/functions/new/", f"/results/{key}/",
        f"/drafts/implementation/{draft.pk}/", "/drafts/", "/runs/1/", "/accounts/tokens/",
        "/functions/Ten/tests/new/", "/functions/Ten/graph/", "/functions/Ten/discussion/",
        "/canaries/", f"/comments/{comment.pk}/", "/nowhere/", "/use/", "/documents/",
    ):  # fmt: skip
        check_with_axe(page, f"{live_site.url}{path}")
    account("root", is_staff=True)
    staff = as_person("root", reduced_motion="reduce")
    check_with_axe(staff, f"{live_site.url}/staff/quotas/?username=nora")
    visitor = as_person(reduced_motion="reduce")
    for path in ("/accounts/login/", "/accounts/signup/", "/"):
        check_with_axe(visitor, f"{live_site.url}{path}")


def page_key(page: Page, site: Site) -> str:
    page.goto(f"{site.url}/functions/Ten/")
    href = page.locator('.quilt .sq[href^="/results/"]').first.get_attribute("href") or ""
    return href.split("/")[2]


def check_with_axe(page: Page, url: str) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(url)
    # By now all scripts have run; what follows a stream is whole once that is live.
    if page.locator("body[data-topic][data-function], body[data-topic][data-draft]").count():
        expect(page.locator(".conn").first).to_have_attribute("data-conn", "live")
    for scheme, rules in AXE_RULES.items():
        page.emulate_media(color_scheme=scheme)
        results = Axe().run(page, options={"resultTypes": ["violations"], **rules})
        assert results.violations_count == 0, f"{url}, {scheme}\n{results.generate_report()}"
