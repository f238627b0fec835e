"""Runs browser tests last, and says plainly when they cannot run."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

BROWSER_TESTS = Path("tests/browser")
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
REQUIRED = os.environ.get("REQUIRE_BROWSER") == "1"
MISSING = "Chromium is not installed; with `apt-get install chromium` this test runs"
# The browser's sandbox refuses to start as root; the rest keeps it from calling home.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

skipped_key = pytest.StashKey[list[str]]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Move browser tests to the end: the loop they leave running breaks async tests after them.

    One group keeps them in one process, where they share a site and a browser.
    """
    folder = config.rootpath / BROWSER_TESTS
    for item in items:
        if item.path.is_relative_to(folder):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


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
        terminalreporter.write_line(f"{len(skipped)} browser tests were skipped: {MISSING}{must}")
