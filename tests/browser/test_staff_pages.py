"""Pages for staff that are not ours: in a browser, under our policy of what a page may load."""

import pytest
from playwright.sync_api import Page, expect

from runner.pipelines import doorbell
from runner.pipelines.doorbell import notify_workers
from tests.browser.conftest import SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import account

PAGES = (
    "/staff/auth/user/",
    "/staff/auth/user/add/",
    "/staff/django_rq/dashboard/",
    "/django-rq/",
    "/django-rq/queues/0/",
    "/django-rq/queues/0/started/",
    "/django-rq/queues/0/failed/",
    "/django-rq/queues/0/finished/",
    "/django-rq/queues/0/deferred/",
    "/django-rq/queues/0/scheduled/",
    "/django-rq/queues/0/empty/",
    "/django-rq/workers/0/",
)


@pytest.fixture
def staff(as_person: SignIn) -> Page:
    """A page of a browser in which one of the staff is signed in; its console must stay empty."""
    root = account("root", is_staff=True)
    root.is_superuser = True
    root.save()
    return as_person("root")


def test_staff_pages_load_all_that_they_name(live_site: Site, staff: Page) -> None:
    for address in PAGES:
        answer = staff.goto(f"{live_site.url}{address}")
        assert answer, address
        assert answer.ok, address
        expect(staff.locator("#header"), address).to_be_visible()


def test_staff_tick_bells_and_delete_them(live_site: Site, staff: Page) -> None:
    assert becomes_quiet()
    live_site.kill_workers()
    queue = doorbell._queue()
    assert notify_workers()
    staff.goto(f"{live_site.url}/django-rq/queues/0/{queue.job_ids[0]}/")
    expect(staff.get_by_text("runner.jobs.drain").first).to_be_visible()
    staff.goto(f"{live_site.url}/django-rq/queues/0/")
    boxes = staff.locator("input.action-select")
    staff.locator("#action-toggle").check()
    expect(boxes).to_have_count(len(queue.job_ids))
    expect(staff.locator("input.action-select:not(:checked)")).to_have_count(0)
    staff.locator("select[name=action]").select_option("delete")
    staff.get_by_role("button", name="Go").click()
    staff.locator("#content input[type=submit]").click()
    expect(staff.locator(".messagelist")).to_be_visible()
    assert queue.job_ids == []
