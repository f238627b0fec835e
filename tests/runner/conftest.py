"""What these tests share: a drainer over a real sandbox, and topics without a registration."""

from collections.abc import Iterator

import pytest

from runner.claiming import front
from runner.execution import Drainer
from runner.sandbox import Pool
from tests.runner.waiting import step

__all__ = ["drainer", "step"]


@pytest.fixture(autouse=True)
def _look_from_the_start() -> None:
    """Have this process claim as one that has just begun."""
    front.forget()


@pytest.fixture
def drainer(transactional_db: None) -> Iterator[Drainer]:
    """Execute with a real pool, in threads of this process."""
    with Drainer(Pool(1), "a worker of this test") as drainer:
        yield drainer
