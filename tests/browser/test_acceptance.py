"""An acceptance test's page in a browser, while what it judges changes."""

import pytest
from playwright.sync_api import Page, expect

from functions.acceptance import publish_acceptance_test, start_acceptance_test
from tests.support.site import Site, becomes_quiet
from tests.support.works import account, constant, define, implement

pytestmark = pytest.mark.browser


def test_an_acceptance_tests_page_tells_what_it_says_as_that_changes(
    live_site: Site, page: Page
) -> None:
    alpha, beta = define("Alpha"), define("Beta", owner="ben")
    implement(alpha, constant("Alpha", 1))
    implement(beta, "# <<Alpha>>\ndef Beta():\n    return Alpha()\n")
    assert becomes_quiet()
    ben = account("ben")
    test = start_acceptance_test(
        actor=ben, function=beta, target="Alpha", code="assert Alpha() == 1"
    )
    publish_acceptance_test(actor=ben, test=test)
    page.goto(f"{live_site.url}{test.get_absolute_url()}")
    said = page.locator("#acceptance-state")
    expect(said).to_contain_text("The current implementation of Alpha passes it.")
    expect(page.locator(".conn")).to_have_text("Live")
    implement(alpha, constant("Alpha", 2))
    expect(said).to_contain_text("does not pass it. 2 == 1")
