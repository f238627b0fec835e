"""Fixtures for all areas: a whole running site, and the browser to look at it."""

import os
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import settings

from functions.models.agent_labels import snapshot
from runner.pipelines.materialized_views import joiner
from runner.sandbox import Pool
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS
from tests.plugins.browser import ARGUMENTS, CHROMIUM, needs_site
from tests.plugins.template import await_template
from tests.support.analysis_server import hosted
from tests.support.site import Site, becomes_quiet, url_of_test_database
from tests.support.tables import empty_tables

site_key = pytest.StashKey[Site]()
next_key = pytest.StashKey[pytest.Item | None]()
WORKERS = 2

# The same examples each time, without a clock; others come by `--hypothesis-profile=default`.
settings.register_profile("steady", derandomize=True, database=None, deadline=None)
settings.load_profile("steady")

# In place of truncating all tables, and writing anew what migrations have written.
TransactionTestCase._fixture_teardown = empty_tables  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Have a process that shares the work copy its tables, which takes less than making them."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        name = await_template(Path(os.environ["SOCIALCODE_VAR"]))
        connection.settings_dict["TEST"]["TEMPLATE"] = name


@pytest.fixture(autouse=True)
def no_agents() -> None:
    """Read labels of agents only after a change, so that numbers of queries are the same."""
    snapshot.assume_none()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, analyses: Path) -> None:
    """Have whoever writes code find somebody who checks it."""


@pytest.fixture(scope="session")
def analyses() -> Iterator[Path]:
    """Serve analyses of source, for all tests of this process."""
    with hosted(django_settings.ANALYST) as serving:
        django_settings.ANALYSIS_SOCKET = str(serving.path)
        yield serving.path


@pytest.fixture(scope="session")
def session_drainer(django_db_setup: None) -> Iterator[Drainer]:
    """Start one sandbox for all tests of this process; it is the start that takes time."""
    with Drainer(Pool(2), "a worker of these tests") as drainer:
        yield drainer


@pytest.fixture(scope="session")
def site_processes(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """Start the web server once for all tests of this process; a test uses `live_site`."""
    environment = {
        **os.environ,
        "DATABASE_URL": url_of_test_database(),
        # As in production, not as in the tests' own process: connections are shared.
        "SOCIALCODE_DATABASE_POOL": "1",
        "SOCIALCODE_WORKERS": str(WORKERS),
        "SOCIALCODE_CALLERS_SOCKET": f"{tempfile.gettempdir()}/callers-{os.getpid()}",
        "SOCIALCODE_ANALYSIS_SOCKET": f"{tempfile.gettempdir()}/analyses-{os.getpid()}",
        "SOCIALCODE_CALL_SLOTS": "1",
        "PYTHONUNBUFFERED": "1",
    }
    site = Site(tmp_path_factory.mktemp("site"), environment)
    try:
        site.start_web()
        yield site
    finally:
        site.stop()


@pytest.fixture
def live_site(
    transactional_db: None, site_processes: Site, request: pytest.FixtureRequest
) -> Iterator[Site]:
    """Give a test the running site with two workers; afterwards nothing runs and all is empty."""
    site = site_processes
    request.node.stash[site_key] = site
    site.complete(workers=WORKERS)
    yield site
    site.resume_workers()
    quiet = becomes_quiet()
    if not needs_site(request.node.stash[next_key]):
        site.stop()
    elif not quiet:
        site.kill_workers()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Note what comes next: workers that nobody needs would disturb whoever follows.

    And let this process join what the test has left, before its tables are emptied.
    """
    item.stash[next_key] = nextitem
    joiner.wait_idle(PATIENCE_SECONDS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the site's processes said beside a failure."""
    report = yield
    site = item.stash.get(site_key, None)
    if report.failed and site is not None:
        report.sections.append(("the site's processes", site.logs()))
    return report


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Use the Chromium of this machine."""
    return {"executable_path": CHROMIUM, "args": ARGUMENTS, "headless": True}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """Look at pages as wide as a laptop's screen."""
    return {**browser_context_args, "viewport": {"width": 1280, "height": 900}}
