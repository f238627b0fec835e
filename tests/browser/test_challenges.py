"""Challenges stand out on a function's page, and gain standing before one's eyes."""

from playwright.sync_api import expect

from functions.models import Test
from tests.browser.conftest import SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import constant, define, implement, publish_test, vote

SAYS = (
    "Challenge: doesn’t count yet. It counts once the owner accepts it, it reaches +1, "
    "or the current implementation passes it."
)


def challenged() -> Test:
    function = define("Two")
    publish_test(function, "assert Two() == 2")
    implement(function, constant("Two", 2))
    assert becomes_quiet()
    test = publish_test(function, "assert Two() == 3", author="eve")
    assert becomes_quiet()
    return test


def test_a_challenge_stands_out_and_counts_when_voted_for(
    live_site: Site, as_person: SignIn
) -> None:
    test = challenged()
    page = as_person("olga")
    page.goto(f"{live_site.url}/functions/Two/")
    expect(page.locator("#results-panel .conn")).to_have_text("Live")
    expect(page.locator("#about .tag[href='#tests']")).to_have_text("1 challenge")
    expect(page.locator("#T2 .note p")).to_have_text(SAYS)
    head = page.locator("th[data-challenge]")
    expect(head).to_contain_text("T2")
    expect(page.locator("tr[data-current] .sq[data-challenge]")).to_have_attribute(
        "data-state", "failed"
    )
    expect(page.locator("tr[data-current] [data-sum=passed]")).to_have_text("1/1")
    before = page.locator("#T1").bounding_box()
    vote(test, up="nora")
    expect(page.locator("#T2 .note")).to_be_hidden()
    expect(head).to_have_count(0)
    expect(page.locator("#T2 .card-title .tag")).to_be_hidden()
    expect(page.locator("[data-live-status]")).to_contain_text("Not implemented")
    assert page.locator("#T1").bounding_box() == before
    assert becomes_quiet()


def test_the_owner_accepts_a_challenge_without_javascript(
    live_site: Site, as_person: SignIn
) -> None:
    challenged()
    page = as_person("olga", java_script_enabled=False)
    page.goto(f"{live_site.url}/functions/Two/")
    page.get_by_role("button", name="Accept, so that it counts").click()
    assert becomes_quiet()
    page.reload()
    expect(page.locator("#T2 .note")).to_have_count(0)
    expect(page.locator("[data-live-status]")).to_contain_text("Not implemented")
    stranger = as_person("eve", java_script_enabled=False)
    stranger.goto(f"{live_site.url}/functions/Two/why/")
    expect(stranger.locator("main")).to_contain_text("accepted by the owner")
