"""What these tests share: a drainer over a real sandbox, and topics without a registration."""

import pytest

from runner.workers.claims import scan_start
from runner.workers.drainer import Drainer
from tests.support.tickets import step

__all__ = ["drainer", "step"]


@pytest.fixture(autouse=True)
def _look_from_the_start() -> None:
    """Have this process claim as one that has just begun."""
    scan_start.reset()


@pytest.fixture
def drainer(transactional_db: None, session_drainer: Drainer) -> Drainer:
    """Execute with a real pool, in threads of this process."""
    return session_drainer
