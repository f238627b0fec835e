"""Puts tests of the whole site and of browsers late, and says plainly which could not run."""

import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

BROWSER_TESTS = Path("tests/browser")
# Many and short, and indifferent to what was before: they fill the time until the last group ends.
FILLING = {
    f"tests/sandbox/test_{name}.py"
    for name in ("corpus", "escapes", "hostile", "hosts", "standalone")
}
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
REQUIRED = os.environ.get("REQUIRE_BROWSER") == "1"
MISSING = "Chromium is not installed; with `apt-get install chromium` this test runs"
# The browser's sandbox refuses to start as root; pages that are drawn by a graphics processor which
# is only pretended take a quarter longer; the rest keeps it from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

skipped_key = pytest.StashKey[list[str]]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Move towards the end what needs the whole site, and behind it what needs a browser.

    The site's workers would take part in whatever other tests submit, and the loop that a browser
    leaves running breaks async tests. Each file of them is a group, which stays in one process;
    what a process does of them shares a site. Sorted last of all: other plugins sort as well.
    """
    folder = config.rootpath / BROWSER_TESTS
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.browser)
        if _turn(item) in GROUPED:
            file = item.path.relative_to(config.rootpath).with_suffix("").as_posix()
            item.add_marker(pytest.mark.xdist_group(file))
    yield
    items.sort(key=_turn)


GROUPED = range(1, 4)


def _turn(item: pytest.Item) -> int:
    if item.get_closest_marker("browser"):
        return 2 if needs_site(item) else 3
    if needs_site(item):
        return 1
    return 4 if item.nodeid.partition("::")[0] in FILLING else 0


def needs_site(item: pytest.Item | None) -> bool:
    """Tell whether a test uses the running site."""
    return "site_processes" in getattr(item, "fixturenames", ())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a browser test where there is no browser."""
    if item.get_closest_marker("browser") and CHROMIUM is None:
        pytest.skip(MISSING)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[skipped_key] = []


class _Skips:
    """Notes skipped browser tests in the controller, where all reports arrive."""

    def __init__(self, skipped: list[str]) -> None:
        self._skipped = skipped

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and "browser" in report.keywords:
            self._skipped.append(report.nodeid)


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.pluginmanager.register(_Skips(session.config.stash[skipped_key]))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where every browser test has to run and one did not."""
    if (
        REQUIRED
        and session.config.stash[skipped_key]
        and not hasattr(session.config, "workerinput")
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how many browser tests did not run."""
    skipped = config.stash[skipped_key]
    if skipped:
        must = "; REQUIRE_BROWSER=1 makes that a failure" if REQUIRED else ""
        terminalreporter.write_line(
            f"{len(skipped)} browser tests were skipped, as Chromium or Firefox is missing"
            f" (apt-get install chromium firefox-esr){must}"
        )
