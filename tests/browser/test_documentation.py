"""The documentation: searched, in a browser that takes the policy of content seriously."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SignIn
from tests.support.site import Site

pytestmark = pytest.mark.slow


def test_documentation_is_searched_without_breaking_its_policy(
    live_site: Site, as_person: SignIn
) -> None:
    page: Page = as_person()
    broken: list[str] = []
    page.on("console", lambda line: broken.append(line.text) if line.type == "error" else None)
    page.goto(f"{live_site.url}/docs/")
    page.get_by_role("textbox", name="Search").fill("lease")
    result = page.locator(".md-search-result__item a").first
    expect(result).to_be_visible()
    result.click()
    expect(page.locator("article")).to_contain_text("lease")
    assert broken == []
