"""Writing in the editor, as a person at a keyboard does."""

from playwright.sync_api import Page, expect


def write(page: Page, code: str) -> None:
    """Replace what is in the editor, and wait until it is saved."""
    editor = page.locator(".cm-content")
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    # Inserted rather than typed: the editor would indent a second time.
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+s")
    saved(page)


def saved(page: Page) -> None:
    """Wait until what was typed is on the server."""
    expect(page.locator(".saved")).to_have_attribute("data-saved", "saved")
    page.wait_for_function("() => !localStorage.getItem(document.body.dataset.draft)")


def publish(page: Page) -> None:
    """Press Publish, and once more to confirm."""
    page.get_by_role("button", name="Publish…").click()
    page.locator("[data-publish-button]").click()
