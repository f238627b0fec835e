"""What these tests share: a worker in their own process, over a real sandbox."""

import pytest

from runner.workers.drainer import Drainer


@pytest.fixture
def worker(transactional_db: None, session_drainer: Drainer) -> Drainer:
    """Execute what was submitted by `worker.drain()`, with everything that follows."""
    return session_drainer
