"""What these tests share: a worker in their own process, over a real sandbox."""

from collections.abc import Iterator

import pytest

from runner.execution import Drainer
from runner.sandbox import Pool


@pytest.fixture(scope="session")
def session_drainer(django_db_setup: None) -> Iterator[Drainer]:
    """Start one sandbox for all tests; it is the start that takes time."""
    with Drainer(Pool(2), "a worker of these tests") as drainer:
        yield drainer


@pytest.fixture
def worker(transactional_db: None, session_drainer: Drainer) -> Drainer:
    """Execute what was submitted by `worker.drain()`, with everything that follows."""
    return session_drainer
