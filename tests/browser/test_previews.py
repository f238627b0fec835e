"""A preview, from the editor's button to a page that fills while its runs go on."""

import pytest
from playwright.sync_api import expect

from functions.acceptance import publish_acceptance_test, start_acceptance_test
from functions.authoring import publish
from functions.models import Function, Implementation, Work
from tests.browser.conftest import SignIn
from tests.support.browser.editor import write
from tests.support.site import Site, becomes_quiet
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
)


@pytest.fixture
def draft(live_site: Site) -> Implementation:
    """Begin another `Base`, on which three others rely, one of which is not content."""
    base = define("Base", owner="wren")
    implement(base, constant("Base", 1))
    for name, expected in (("One", 1), ("Five", 5), ("Steady", 0)):
        function = define(name)
        publish_test(function, f"assert {name}() {'==' if expected else '>'} {expected}")
        implement(function, f"# <<Base>>\ndef {name}():\n    return Base()\n")
    assert becomes_quiet()
    test = start_acceptance_test(
        actor=account("olga"),
        function=Function.objects.get(name="One"),
        target="Base",
        code="assert Base() == 1",
        title="One is one",
    )
    publish_acceptance_test(actor=account("olga"), test=test)
    assert becomes_quiet()
    return draft_implementation(base, "", author="wren")


def test_effects_are_previewed_from_the_editor_and_told_as_they_come(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    page = as_person("wren")
    page.goto(f"{live_site.url}/drafts/implementation/{draft.pk}/")
    write(page, "import time\ntime.sleep(0.5)\n" + constant("Base", 5))
    page.get_by_role("button", name="Publish…").click()
    page.get_by_role("button", name="Preview effects").click()
    expect(page.locator("h1")).to_have_text("Preview of publishing this implementation")
    expect(page.locator("#fate-breaks")).to_contain_text("One #1")
    expect(page.locator("#fate-breaks")).to_contain_text("does not pass T1")
    expect(page.locator("#fate-mended")).to_contain_text("Five")
    expect(page.locator("#fate-stays")).to_contain_text("Steady")
    expect(page.locator("#acceptance")).to_contain_text("would not pass")
    expect(page.locator("#preview")).to_contain_text("Your draft would be current")
    draft.refresh_from_db()
    assert draft.state == Work.State.DRAFT

    # What has been foretold comes, and the page tells it while it is open.
    page.goto(f"{live_site.url}/functions/Base/")
    expect(page.locator("#acceptance")).to_contain_text("passed")
    expect(page.locator("[data-conn=live]").first).to_be_visible()
    publish(actor=draft.author, draft=draft)
    expect(page.locator("#acceptance")).to_contain_text("Base does not pass it")
