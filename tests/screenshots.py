"""Renders every type of page into docs/images (`make screenshots`).

Each is rendered light, dark, and 390 pixels wide, on a site in a folder of its own, when its sample
content has been run. Look at the pictures beside those of the design.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.plugins.browser import ARGUMENTS, CHROMIUM

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs/images"
READY_SECONDS = 300
SAMPLES = len([*ROOT.glob("functions/samples/library/*/*/function.toml")])
VARIANTS: dict[str, dict[str, object]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 900}},
    "narrow": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}
# Pages by the names of their pictures: addresses, for visitors and for the account `demo`.
PUBLIC = {
    "home": "/",
    "sign-in": "/accounts/login/",
    "sign-up": "/accounts/signup/",
    "search": "/?q=date",
    "missing-names": "/wanted/",
    "missing": "/functions/Multpily/",
    "not-found": "/nowhere/",
    "help": "/help/guide/",
    "api": "/api/v1/docs",
    "function": "/functions/Multiply/",
    "class": "/functions/Stack/",
    "discussion": "/functions/Multiply/discussion/",
    "graph": "/functions/Multiply/graph/",
    "history": "/functions/Multiply/revisions/",
    "why-current": "/functions/Multiply/why/",
    "audit-log": "/functions/Multiply/log/",
    "download": "/functions/Multiply/export/",
    "try": "/functions/Multiply/try/",
    "runs": "/runs/",
    "person": "/people/mira/",
}
SIGNED_IN = {
    "home-signed-in": "/",
    "new-function": "/functions/new/",
    "import": "/import/",
    "drafts": "/drafts/",
    "notifications": "/notifications/",
    "watched": "/notifications/watched/",
    "e-mail": "/notifications/mail/",
    "flags": "/flags/",
    "tokens": "/accounts/tokens/",
    "address": "/accounts/email/",
    "password": "/accounts/password/change/",
    "password-again": "/accounts/reauthenticate/",
    "factors": "/accounts/factors/",
    "sessions": "/accounts/sessions/",
    "agents": "/accounts/agents/",
    "profile": "/profile/",
    "use": "/use/",
    "votes": "/votes/",
}


def editor(page: Page, site: str) -> None:
    """Open a copy of an implementation in the editor, and run it."""
    page.goto(f"{site}/functions/Multiply/")
    page.locator("#implementations [data-copy]").first.click()
    page.wait_for_load_state("networkidle")  # the script is in place
    page.get_by_role("button", name="Run draft").click()
    page.locator("#results .quilt .sq[data-state=passed]").first.wait_for()


def run(page: Page, site: str) -> None:
    page.goto(f"{site}/runs/")
    page.locator(".run-name").first.click()


def result(page: Page, site: str) -> None:
    page.goto(f"{site}/functions/Multiply/")
    page.goto(site + str(page.locator(".quilt .sq[data-state=failed]").first.get_attribute("href")))


def compare(page: Page, site: str) -> None:
    page.goto(f"{site}/functions/Multiply/")
    page.goto(site + str(page.locator("#I2 [data-diff]").get_attribute("href")))


# Pages whose addresses are not known before.
REACHED: dict[str, Callable[[Page, str], None]] = {
    "compare": compare,
    "editor": editor,
    "run": run,
    "result": result,
}


def main() -> None:
    """Start the site, and render all pages."""
    if CHROMIUM is None:
        sys.exit("Chromium is not installed: apt-get install chromium")
    with tempfile.TemporaryDirectory(prefix="screenshots-") as folder:
        port = free_port()
        process = subprocess.Popen(
            [sys.executable, "manage.py", "dev", "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, "SOCIALCODE_VAR": folder, "SOCIALCODE_DEVELOPMENT": "1"},
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
                await_samples(browser, f"http://127.0.0.1:{port}", process)
                for name, options in VARIANTS.items():
                    render(browser, f"http://127.0.0.1:{port}", name, options)
                browser.close()
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(30)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def await_samples(browser: Browser, site: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until all samples are implemented."""
    context = browser.new_context()
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        time.sleep(2)
        try:
            found = context.request.get(f"{site}/api/v1/functions/?status=implemented&limit=100")
            if found.ok and len(found.json()["items"]) >= SAMPLES:
                context.close()
                return
        except Exception:  # noqa: BLE001, S112 - the site is still starting
            continue
    sys.exit("The site did not start, or its samples did not end.")


def render(browser: Browser, site: str, variant: str, options: dict[str, object]) -> None:
    """Render all pages in one variant."""
    visitor = browser.new_context(**options)  # type: ignore[arg-type]
    member = browser.new_context(**options)  # type: ignore[arg-type]
    page = member.new_page()
    page.goto(f"{site}/accounts/login/")
    page.fill("[name=username]", "demo")
    page.fill("[name=password]", "demo")
    page.press("[name=password]", "Enter")
    page.wait_for_url(f"{site}/")
    for context, pages in ((visitor, PUBLIC), (member, SIGNED_IN)):
        for name, address in pages.items():
            page = context.new_page()
            page.goto(site + address)
            save(page, name, variant)
    for name, reach in REACHED.items():
        page = member.new_page()
        reach(page, site)
        save(page, name, variant)
    for context in (visitor, member):
        context.close()


def save(page: Page, name: str, variant: str) -> None:
    page.wait_for_load_state("networkidle")
    page.screenshot(path=IMAGES / f"{name}-{variant}.png")
    page.close()


if __name__ == "__main__":
    main()
