"""Two people at one function see each other, and nothing moves for that."""

from playwright.sync_api import expect

from tests.browser.conftest import SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import constant, define, implement, publish_test


def test_two_users_see_each_other_and_not_themselves(live_site: Site, as_person: SignIn) -> None:
    function = define("Add")
    publish_test(function, "def test_value():\n    assert Add() == 1\n")
    implement(function, constant("Add", 1))
    assert becomes_quiet()
    mira, otto, stranger = as_person("mira"), as_person("otto"), as_person()
    mira.goto(live_site.url + function.get_absolute_url())
    expect(mira.locator("#results-panel .conn")).to_have_text("Live")
    card = mira.locator("#I1")
    before = card.bounding_box()
    stranger.goto(live_site.url + function.get_absolute_url())
    expect(mira.locator("[data-presence]")).to_have_text("Also here: 1 other")
    otto.goto(live_site.url + function.get_absolute_url())
    for page, other in ((mira, "otto"), (otto, "mira")):
        expect(page.locator("[data-presence]")).to_have_text(f"Also here: {other} + 1 other")
    expect(stranger.locator("[data-presence]")).to_have_text("Also here: mira, otto")
    expect(mira.locator("[data-announce]")).to_contain_text("Also here: otto")
    assert card.bounding_box() == before
    otto.close()
    expect(mira.locator("[data-presence]")).to_have_text("Also here: 1 other")
    stranger.goto(live_site.url)
    expect(mira.locator("[data-presence]")).to_be_hidden()


def test_nobody_is_claimed_to_be_there_while_the_connection_is_lost(
    live_site: Site, as_person: SignIn
) -> None:
    function = define("Add")
    mira, otto = as_person("mira"), as_person("otto")
    for page in (mira, otto):
        page.goto(live_site.url + function.get_absolute_url())
    expect(mira.locator("[data-presence]")).to_have_text("Also here: otto")
    assert live_site.web is not None
    live_site.web.kill()
    live_site.web.wait()
    expect(mira.locator("[data-presence]")).to_be_hidden()
    live_site.start_web()
    expect(mira.locator("[data-presence]")).to_have_text("Also here: otto")
