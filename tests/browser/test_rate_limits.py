"""What is sent too often from a page: nothing that was typed is lost, and it goes on by itself."""

import time

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import SignIn
from tests.support.browser.editor import saved
from tests.support.site import Site
from tests.support.works import constant, define, draft_implementation, implement

WAIT_SECONDS = 3
MESSAGE = "At most 300 saved drafts a minute: try again in 3 seconds."


class Limit:
    """Refuses what is posted to an address, as the site does, until it is lifted."""

    def __init__(self, page: Page, address: str) -> None:
        self.is_on = True
        self.asked: list[float] = []
        page.route(address, self._answer)

    def _answer(self, route: Route) -> None:
        if route.request.method != "POST":
            route.continue_()
            return
        self.asked.append(time.monotonic())
        if self.is_on:
            route.fulfill(
                status=429,
                headers={"Retry-After": str(WAIT_SECONDS)},
                json={"code": "too_many_requests", "message": MESSAGE, "errors": []},
            )
        else:
            route.continue_()


def test_a_draft_that_is_saved_too_often_is_kept_and_saved_when_it_may_be(
    live_site: Site, as_person: SignIn
) -> None:
    draft = draft_implementation(define("Nine"), constant("Nine", 9), author="nora")
    page = as_person("nora")
    page.goto(f"{live_site.url}/drafts/implementation/{draft.pk}/")
    limit = Limit(page, f"**/drafts/implementation/{draft.pk}/")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# too much")
    expect(page.locator(".saved")).to_have_text(f"Kept on this device: {MESSAGE}")
    limit.is_on = False
    page.keyboard.type(", and more")  # which is no reason to ask again at once
    saved(page)
    draft.refresh_from_db()
    assert draft.code.endswith("# too much, and more")
    assert len(limit.asked) == 2
    assert limit.asked[1] - limit.asked[0] >= WAIT_SECONDS


@pytest.mark.parametrize("button", ["up", "down"])
def test_a_vote_too_many_is_said_beside_its_button_and_the_next_one_counts(
    live_site: Site, as_person: SignIn, button: str
) -> None:
    implement(define("Nine"), constant("Nine", 9), author="ida")
    page = as_person("nora")
    page.goto(f"{live_site.url}/functions/Nine/")
    limit = Limit(page, "**/implementations/*/vote/")
    vote, note = page.locator(f"#I1 [data-vote={button}]"), page.locator("#I1 form [role=alert]")
    vote.click()
    expect(note).to_have_text(MESSAGE)
    limit.is_on = False
    vote.click()
    expect(vote).to_have_attribute("aria-pressed", "true")
    expect(note).to_have_count(0)
