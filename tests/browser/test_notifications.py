"""The bell: what happens is counted on every open page, and so is reading it on one."""

from django.db import transaction
from playwright.sync_api import expect

from functions.models import Notice
from functions.notifications.watches import notify_watchers, watch_function
from tests.browser.conftest import SignIn
from tests.support.site import Site
from tests.support.works import account, define


def test_the_bell_counts_as_things_happen_and_are_read(live_site: Site, as_person: SignIn) -> None:
    add = define("Add", owner="olga")
    watch_function(actor=account("mira"), function=add, watching=True)
    page, browse = as_person("mira"), as_person("mira")
    page.goto(f"{live_site.url}/notifications/")
    browse.goto(live_site.url + add.get_absolute_url())
    for text in ("happened", "happened again"):
        with transaction.atomic():
            notify_watchers(function=add, kind=Notice.Kind.COMMENT, text=text)
    for one in (page, browse):
        expect(one.locator("[data-bell]")).to_have_attribute(
            "aria-label", "Notifications, 2 unread"
        )
    page.get_by_text("Show newer notifications").click()
    expect(page.locator(".notice")).to_have_count(1)
    page.get_by_text("1 more like this").click()
    expect(page.get_by_text("Add happened", exact=True)).to_be_visible()
    page.get_by_role("link", name="Add happened again").click()
    expect(browse.locator("[data-bell]")).to_have_attribute("aria-label", "Notifications, 1 unread")
    page.goto(f"{live_site.url}/notifications/")
    page.get_by_role("button", name="Mark all read").click()
    expect(browse.locator("[data-bell] .count-dot")).to_be_hidden()
