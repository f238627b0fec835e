"""An application that two people use at once: what one does, the other sees, also after a cut."""

from playwright.sync_api import Page, expect

from functions.collections.definition import Settings, create_collection
from functions.maintenance.sample_library import LIBRARY
from functions.models import AppliedRequest, Item
from tests.browser.conftest import SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import account, define, implement

APPLICATIONS = LIBRARY / "applications"


def code_of(path: str) -> str:
    return (APPLICATIONS / path).read_text(encoding="utf-8")


def open_todo(live_site: Site, page: Page) -> Page:
    page.goto(f"{live_site.url}/functions/Todo/open/")
    expect(page.locator(".conn")).to_have_text("Live")
    return page


def test_two_people_share_a_list(live_site: Site, as_person: SignIn) -> None:
    implement(define("TaskCounts"), code_of("TaskCounts/by_sum.py"))
    implement(define("Todo", kind="page"), code_of("Todo/todo.html"))
    settings = Settings(may_change="signed_in", pages=("Todo",))
    create_collection(actor=account("olga"), name="Tasks", settings=settings)
    assert becomes_quiet()
    ann, ben = (open_todo(live_site, as_person(name)) for name in ("ann", "ben"))
    hers, his = (page.frame_locator("#page-frame") for page in (ann, ben))

    hers.get_by_label("New task").fill("Buy <tea>")
    hers.get_by_label("New task").press("Enter")
    expect(hers.locator("li span").first).to_have_text("Buy <tea> ann")
    expect(his.locator("li span").first).to_have_text("Buy <tea> ann")

    his.get_by_label("Finish Buy <tea>").click()
    expect(hers.locator("li.done")).to_have_count(1)
    expect(hers.locator("p small")).to_have_text("0 open, 1 done")

    # Cut off, one misses changes; connected again, both pages are the same.
    ben.context.set_offline(True)
    for text in ("Milk", "Bread"):
        hers.get_by_label("New task").fill(text)
        hers.get_by_label("New task").press("Enter")
        expect(hers.locator("li").last).to_contain_text(text)
    hers.get_by_label("Delete Buy <tea>").click()
    expect(hers.locator("li")).to_have_count(2)
    expect(his.locator("li")).to_have_count(1)
    ben.context.set_offline(False)
    expect(his.locator("li")).to_have_count(2)
    assert his.locator("ul").inner_text() == hers.locator("ul").inner_text()
    assert Item.objects.count() == 2
    assert AppliedRequest.objects.count() == 5
