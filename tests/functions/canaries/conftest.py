"""The library of releases, and a program of somebody outside."""

import pytest

from functions.models import Function
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller
from tests.functions.releases.conftest import library, publish  # noqa: F401 - a fixture
from tests.support.works import account


@pytest.fixture
def outside(library: dict[str, Function]) -> Caller:  # noqa: F811 - the fixture
    """A program outside of the site, which can see the library."""
    return Caller(account("petra"))


@pytest.fixture
def changed_add(library: dict[str, Function], worker: Drainer) -> None:  # noqa: F811
    """Another implementation of Add, so that there are second releases."""
    publish(worker, "Add", "def Add(a, b):\n    return b + a\n", author="eve")
