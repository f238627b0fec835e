"""Pages that are written, judged and served."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from functions.authoring import define_function
from functions.models import Function, Implementation, Test
from runner.workers.drainer import Drainer
from tests.support import builders as make
from tests.support.callers import callers, callers_socket  # noqa: F401 - fixtures
from tests.support.works import implement, publish_test

Publish = Callable[..., Implementation]
GREETING = "def Greeting(name):\n    return f'Hello, {name}'\n"
HOME = '{# <<Greeting>> #}<h1>{{ Greeting(query.name or "you") }}</h1>\n'


@pytest.fixture
def ana(transactional_db: None) -> User:
    return make.user("ana")


@pytest.fixture
def publish(ana: User, worker: Drainer) -> Publish:
    """Publish a page, what it uses or a test by name, and run what follows."""

    def publish(name: str, code: str, *, kind: str = "page", model: Any = Implementation) -> Any:
        function = Function.objects.filter(name=name, deleted_at=None).first()
        function = function or define_function(actor=ana, name=name, kind=kind)
        write = publish_test if model is Test else implement
        work = write(function, code, author="ana")
        worker.drain()
        work.refresh_from_db()
        return work

    return publish


@pytest.fixture
def home(publish: Publish) -> Implementation:
    """A page that calls a function."""
    publish("Greeting", GREETING, kind="function")
    return publish("Home", HOME)
