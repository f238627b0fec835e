"""A function's graph in a browser, while elections are held."""

import pytest
from playwright.sync_api import Page, expect

from tests.support.site import Site, becomes_quiet
from tests.support.works import constant, define, implement

pytestmark = pytest.mark.browser


def test_a_graph_shows_elections_as_they_are_held(live_site: Site, page: Page) -> None:
    low, top = define("Low"), define("Top")
    implement(top, "# <<Low>>\ndef Top():\n    return Low()\n")
    assert becomes_quiet()
    page.goto(f"{live_site.url}/functions/Low/graph/")
    importer = page.locator('#graph a[href="/functions/Top/"]')
    expect(importer).to_have_attribute("data-status", "unimplemented")
    expect(page.locator(".conn")).to_have_text("Live")
    implement(low, constant("Low", 1))
    expect(importer).to_have_attribute("data-status", "implemented")
    expect(page.locator("#graph .dep-now")).to_have_text("current #1, score 0")
