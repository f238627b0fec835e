"""Runs in a browser: they go on before one's eyes, and are cancelled from the keyboard."""

from playwright.sync_api import Page, expect

from functions.models import Function
from runner.models import Batch
from tests.browser.conftest import LOOKS_FOR_NEWER_MS, SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import constant, define, implement, publish_test

TALKATIVE = "def Many():\n    log('so many')\n    return 1\n"


def waiting_run(site: Site, code: str = TALKATIVE) -> Batch:
    """Publish an implementation while no worker runs it: it has four tasks."""
    function = Function.objects.filter(name="Many").first() or define("Many")
    for number in range(3):
        publish_test(function, f"def test_{number}():\n    assert Many() == 1\n")
    assert becomes_quiet()
    site.pause_workers()
    implement(function, code, author="ida")
    return Batch.objects.latest("pk")


def mark(page: Page) -> None:
    """Note on the page itself that it has not been fetched anew."""
    page.evaluate("document.body.dataset.mark = 'the same page'")


def is_marked(page: Page) -> bool:
    return bool(page.evaluate("document.body.dataset.mark === 'the same page'"))


def test_the_list_goes_on_as_its_runs_do(live_site: Site, as_person: SignIn) -> None:
    batch = waiting_run(live_site)
    page = as_person()
    page.goto(f"{live_site.url}/runs/")
    expect(page.locator("main .conn")).to_have_text("Live")
    row = page.locator(f"[data-run-row='{batch.pk}']")
    expect(row.locator("[data-progress]")).to_have_text("0 of 3")
    expect(row.locator(".task")).to_have_text("Open")
    mark(page)
    live_site.resume_workers()
    expect(row.locator("[data-progress]")).to_have_text("3 of 3")
    expect(row.locator(".task")).to_have_text("Complete")
    expect(row.locator(".bar .f-passed")).to_have_attribute("width", "100.00%")
    assert is_marked(page)


def test_newer_runs_are_offered_and_push_nothing_down(live_site: Site, as_person: SignIn) -> None:
    function = define("Many")
    implement(function, constant("Many", 1))
    assert becomes_quiet()
    before = Batch.objects.latest("pk")
    page = as_person()
    page.clock.install()
    page.goto(f"{live_site.url}/runs/?function=Many")
    expect(page.locator(f"[data-run-row='{before.pk}']")).to_be_visible()
    publish_test(function, "def test_value():\n    assert Many() == 1\n")
    page.clock.fast_forward(LOOKS_FOR_NEWER_MS)
    offer = page.get_by_role("link", name="Show newer runs")
    expect(offer).to_be_visible()
    after = Batch.objects.latest("pk")
    expect(page.locator(f"[data-run-row='{after.pk}']")).to_have_count(0)
    offer.click()
    expect(page.locator(f"[data-run-row='{after.pk}']")).to_be_visible()


def test_a_run_is_watched_to_its_end_without_the_page_being_fetched_anew(
    live_site: Site, as_person: SignIn
) -> None:
    batch = waiting_run(live_site)
    page = as_person("otto")
    page.goto(f"{live_site.url}/runs/{batch.pk}/")
    expect(page.locator("main .page-head .conn")).to_have_text("Live")
    expect(page.locator("[data-progress]")).to_have_text("0 of 3")
    expect(page.get_by_role("button", name="Cancel run")).to_have_count(0)
    mark(page)
    live_site.resume_workers()
    expect(page.locator("#tasks .task[data-task=succeeded]")).to_have_count(4)
    expect(page.locator("#tasks .who-res").last).to_have_text("passed")
    expect(page.locator("#log .log-line", has_text="so many").first).to_contain_text("#1 T")
    expect(page.locator("#run-head")).to_contain_text("complete")
    expect(page.locator("[data-progress]")).to_have_text("3 of 3")
    expect(page.locator("[data-announce]")).to_have_text(f"Run {batch.pk} complete: 3 of 3 passed")
    expect(page.locator("#tasks tbody [data-started] time")).to_have_count(4)
    assert is_marked(page)


def test_a_run_is_cancelled_from_the_keyboard(live_site: Site, as_person: SignIn) -> None:
    batch = waiting_run(live_site)
    page = as_person("ida")
    page.goto(f"{live_site.url}/runs/{batch.pk}/")
    page.get_by_role("button", name="Cancel run", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"Cancel run {batch.pk}?")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Keep it running")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text(f"Run {batch.pk} was cancelled")
    expect(page.locator("#tasks .task", has_text="Cancelled")).to_have_count(4)
    live_site.resume_workers()
    expect(page.locator("#run-head")).to_contain_text("cancelled")


def test_pages_of_runs_fit_a_phone(live_site: Site, as_person: SignIn) -> None:
    batch = waiting_run(live_site)
    live_site.resume_workers()
    page = as_person("ida", viewport={"width": 390, "height": 800})
    for path in ("/runs/", f"/runs/{batch.pk}/"):
        page.goto(f"{live_site.url}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    for query in ("?state=succeeded", "?state=ignored"):
        page.goto(f"{live_site.url}/runs/{batch.pk}/{query}")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
