"""Comments live: what others say is offered, what is typed is never lost."""

import pytest
from playwright.sync_api import Page, expect

from functions.models import Comment, Function
from functions.moderation.comments import edit_comment, write_comment
from tests.browser.conftest import SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import account, constant, define, implement


@pytest.fixture
def function(live_site: Site) -> Function:
    function = define("Ten")
    implement(function, constant("Ten", 10))
    assert becomes_quiet()
    return function


def opened(page: Page, live_site: Site) -> Page:
    """Open the function's page, and on it what is said of its implementation."""
    page.goto(f"{live_site.url}/functions/Ten/")
    expect(page.locator("#results-panel .conn")).to_have_text("Live")
    page.locator("#I1 [data-discuss]").click()
    expect(page.locator("#I1 .talk")).to_be_visible()
    return page


def test_a_discussion_goes_on_below_the_card_while_others_read_and_type(
    live_site: Site, as_person: SignIn, function: Function
) -> None:
    ann, bob = (opened(as_person(name), live_site) for name in ("ann", "bob"))
    ann.locator("#I1 textarea").fill("Is it <<Ten>>?")
    ann.get_by_role("button", name="Comment", exact=True).click()
    expect(ann.locator("#I1 .comment")).to_contain_text("Is it <<Ten>>?")
    expect(ann.locator("#I1 textarea")).to_have_value("")
    expect(bob.locator("#I1 .talk-count")).to_have_text("1")
    expect(bob.locator("#I1 .comment")).to_have_count(0)
    bob.get_by_text("1 new comment").get_by_role("link").click()
    comment = bob.locator("#I1 .comment").first
    expect(comment).to_contain_text("Is it <<Ten>>?")
    comment.locator("[data-vote=up]").click()
    expect(ann.locator("#I1 .comment output")).to_have_text("1")

    comment.get_by_role("link", name="Reply").click()
    bob.locator("#I1 [data-readers] textarea").fill("It is.")
    edit_comment(actor=account("ann"), comment=Comment.objects.get(), text="Is it really?")
    expect(comment).to_contain_text("Is it really?")
    expect(bob.locator("#I1 [data-readers] textarea")).to_have_value("It is.")
    bob.get_by_role("button", name="Reply").click()
    expect(bob.locator("#I1 .replies")).to_contain_text("It is.")
    expect(bob.locator("#I1 [data-readers]")).to_have_count(0)
    ann.get_by_text("1 new reply").get_by_role("link").click()
    expect(ann.locator("#I1 .replies")).to_contain_text("It is.")
    expect(ann.locator("#I1 [data-new-replies]")).to_be_hidden()


def test_what_was_typed_outlives_a_refusal_a_lost_network_and_the_page(
    live_site: Site, as_person: SignIn, function: Function
) -> None:
    write_comment(actor=account("ann"), subject=function, text="Why?")
    bob = as_person("bob")
    bob.goto(f"{live_site.url}/functions/Ten/discussion/?order=best")
    box = bob.locator("textarea").first
    box.fill("x" * 10_001)
    bob.get_by_role("button", name="Comment", exact=True).click()
    expect(bob.get_by_text("the limit is 10,000")).to_be_visible()
    expect(box).to_have_value("x" * 10_001)
    box.fill("Because.")
    bob.route("**/discussion/**", lambda route: route.abort())
    bob.get_by_role("button", name="Comment", exact=True).click()
    expect(bob.get_by_text("can't be reached")).to_be_visible()
    expect(box).to_have_value("Because.")
    bob.unroute("**/discussion/**")
    bob.reload()
    expect(box).to_have_value("Because.")
    bob.get_by_role("button", name="Comment", exact=True).click()
    expect(bob.locator(".comment").first).to_contain_text("Because.")
    bob.reload()
    expect(box).to_have_value("")
