"""The main job, end to end, as a newcomer does it."""

import re

from playwright.sync_api import expect

from functions.authoring import run_draft
from functions.models import Function
from tests.browser.conftest import SignIn
from tests.support.browser.editor import publish, write
from tests.support.site import Site
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
)

# Time enough to see the first line before the second, also where the machine is busy.
SLOW = """
import time

def Slow():
    log("I have begun")
    time.sleep(3)
    log("I have ended")
    return 1
"""


def test_newcomer_signs_up_defines_implements_runs_publishes_and_is_elected(
    live_site: Site, as_person: SignIn
) -> None:
    page = as_person()
    page.goto(f"{live_site.url}/accounts/signup/")
    page.fill("[name=username]", "nora")
    page.fill("[name=password1]", "a long enough secret")
    page.fill("[name=password2]", "a long enough secret")
    page.get_by_role("button", name="Create account").click()

    page.get_by_role("link", name="New", exact=True).click()
    page.fill("[name=name]", "Triple")
    page.fill("[name=signature]", "(n: int) -> int")
    page.fill("textarea[name=description]", "Three times *n*.")
    page.get_by_role("button", name="Define function").click()
    expect(page.locator("h1")).to_have_text("Triple")
    expect(page.locator(".head-desc em")).to_have_text("n")

    page.locator("#tests .col-head").get_by_role("button", name="New test", exact=True).click()
    write(page, "def test_small():\n    assert Triple(2) == 6\n")
    publish(page)
    expect(page.locator("#T1")).to_contain_text("nora")

    page.locator("#implementations .col-head").get_by_role(
        "button", name="New implementation", exact=True
    ).click()
    expect(page.locator(".cm-content")).to_contain_text("def Triple(n):")
    write(page, "def Triple(n):\n    log('three times', n)\n    return 3 * n\n")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#results .sq[data-state=passed]").first).to_be_visible()
    expect(page.locator("#log")).to_contain_text("three times 2")
    assert Function.objects.get(name="Triple").elected is None

    publish(page)
    expect(page).to_have_url(re.compile(r"/functions/Triple/#I1$"))
    expect(page.locator("#results-panel .quilt .sq")).to_have_attribute("data-state", "passed")
    expect(page.locator("#I1[data-current]")).to_be_visible()
    expect(page.locator("[data-live-status]")).to_have_text("Implemented")
    expect(page.locator("#I1 .score")).to_contain_text("1/1")
    expect(page.locator("tr[data-current] [data-sum=passed]")).to_have_text("1/1")


def test_squares_fill_and_the_current_one_is_marked_while_one_watches(
    live_site: Site, as_person: SignIn
) -> None:
    function = define("Six")
    publish_test(function, "def test_value():\n    assert Six() == 6\n")
    implement(function, constant("Six", 5))
    page = as_person()
    page.goto(f"{live_site.url}/functions/Six/")
    expect(page.locator("#results-panel .conn")).to_have_text("Live")
    expect(page.locator(".quilt .sq")).to_have_attribute("data-state", "failed")

    publish_test(function, "def test_again():\n    log('watch me')\n    assert Six() != 6\n")
    expect(page.locator("[data-show=test]")).to_contain_text("1 new test")
    expect(page.locator("#log")).to_contain_text("watch me")

    implement(function, constant("Six", 6), author="iris")
    expect(page.locator("[data-show=implementation]")).to_contain_text("1 new implementation")
    page.locator("[data-show=implementation]").click()
    expect(page.locator("#I2")).to_be_visible()
    expect(page.locator('.quilt .sq[title^="#2 iris, T1"]')).to_have_attribute(
        "data-state", "passed"
    )


def test_log_streams_while_the_code_runs(live_site: Site, as_person: SignIn) -> None:
    function = define("Slow")
    publish_test(function, "def test_value():\n    assert Slow() == 1\n")
    draft = draft_implementation(function, SLOW, author="nora")
    page = as_person("nora")
    page.goto(f"{live_site.url}/drafts/implementation/{draft.pk}/")
    page.get_by_role("button", name="Run draft").click()
    expect(page.locator("#log .log-line", has_text="I have begun").first).to_be_visible()
    expect(page.locator("[data-progress]")).to_have_text(re.compile(r"^\d of 1"))
    square = page.locator("#results .quilt .sq")
    expect(square).not_to_have_attribute("data-state", "passed", timeout=1)
    expect(square).to_have_attribute("data-state", "passed")
    expect(page.locator("#log")).to_contain_text("I have ended")


def test_a_runs_page_follows_it_to_its_end(live_site: Site, as_person: SignIn) -> None:
    function = define("Slow")
    publish_test(function, "def test_value():\n    assert Slow() == 1\n")
    draft = draft_implementation(function, SLOW, author="nora")
    page = as_person("nora")
    live_site.pause_workers()
    batch = run_draft(actor=draft.author, draft=draft)
    page.goto(f"{live_site.url}/runs/{batch.pk}/")
    expect(page.locator("[data-progress]")).to_have_text("0 of 1")
    live_site.resume_workers()
    expect(page.locator("#run-head")).to_contain_text("complete")
    expect(page.locator("[data-progress]")).to_have_text("1 of 1")
    expect(page.locator("#tasks .task[data-task=succeeded]")).to_have_count(2)


def test_a_missing_name_is_red_and_is_defined_from_its_link(
    live_site: Site, as_person: SignIn
) -> None:
    function = define("Outer")
    code = "# Uses <<Inner>>.\ndef Outer():\n    return Inner()\n"
    implement(function, code)
    page = as_person("nora")
    page.goto(f"{live_site.url}/functions/Outer/")
    link = page.locator("#I1 .dep[data-status=missing]")
    expect(link).to_have_text("<<Inner>>")
    link.click()
    expect(page.locator("h1")).to_have_text("Inner")
    expect(page.locator("main")).to_contain_text("does not exist yet")
    expect(page.locator(".card")).to_contain_text("return Inner()")
    page.fill("[name=signature]", "() -> int")
    page.get_by_role("button", name="Define Inner").click()
    expect(page.locator("[data-live-status]")).to_have_text("Not implemented")
    inner = Function.objects.get(name="Inner")
    assert inner.owner == account("nora")
    # There is nothing to call until there is.
    call = page.get_by_role("button", name="Call", exact=True)
    expect(page.locator("#try")).to_contain_text("Nothing to call yet")
    expect(call).to_have_count(0)
    implement(inner, constant("Inner", 1))
    expect(call).to_be_visible()


def test_copy_and_edit_remembers_where_it_came_from(live_site: Site, as_person: SignIn) -> None:
    function = define("Seven")
    implement(function, constant("Seven", 7))
    page = as_person("nora")
    page.goto(f"{live_site.url}/functions/Seven/")
    page.locator("#I1").get_by_role("button", name="Copy & edit").click()
    expect(page.locator("#draft")).to_contain_text("based on #1 by ida")
    write(page, "def Seven(*args):\n    return 3 + 4\n")
    publish(page)
    expect(page.locator("#I2")).to_contain_text("based on #1 by ida")


def test_votes_are_cast_changed_and_taken_back(live_site: Site, as_person: SignIn) -> None:
    function = define("Eight")
    implement(function, constant("Eight", 8))
    page = as_person("nora")
    page.goto(f"{live_site.url}/functions/Eight/")
    watching = as_person()
    watching.goto(f"{live_site.url}/functions/Eight/")
    expect(watching.locator("#results-panel .conn")).to_have_text("Live")

    up, down = (page.locator(f"#I1 [data-vote={way}]") for way in ("up", "down"))
    score = page.locator("#I1 .vote output")
    up.click()
    expect(score).to_have_text("1")
    expect(up).to_have_attribute("aria-pressed", "true")
    expect(watching.locator("#I1 .vote output")).to_have_text("1")
    down.click()
    expect(score).to_have_text("-1")
    down.click()
    expect(score).to_have_text("0")
    expect(watching.locator("#I1 .vote output")).to_have_text("0")
    page.reload()
    expect(score).to_have_text("0")
