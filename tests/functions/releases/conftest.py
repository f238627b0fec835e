"""A small library with built releases."""

import pytest

from functions.authoring import define_function
from functions.models import Function, Implementation
from functions.releases.build import build_releases
from runner.workers.drainer import Drainer
from tests.support.works import account, implement, publish_test

SOURCES = {
    "Add": "def Add(a, b):\n    log('adding')\n    return a + b\n\n\nclass Sum(int):\n    pass\n",
    "Twice": "# <<Add>>\ndef Twice(a):\n    check(a is not None)\n    return Add(a, a)\n",
    "Thrice": "# <<Add>> and <<Twice>>\ndef Thrice(a):\n    return Add(Twice(a), a)\n",
    "IsEven": "# <<IsOdd>>\ndef IsEven(n):\n    return n == 0 or IsOdd(n - 1)\n",
    "IsOdd": "# <<IsEven>>\ndef IsOdd(n):\n    return n != 0 and IsEven(n - 1)\n",
    "A__b": "def A__b():\n    return 1\n",
}
TEST = """\
# <<Twice>>
def test_thrice():
    check(Thrice(2) == 6)
    assert Thrice(2) - Twice(2) == 2
"""


def publish(worker: Drainer, name: str, code: str, author: str = "ida") -> Implementation:
    """Publish an implementation of a function, which is defined if it is new, and run it."""
    found = Function.objects.filter(name=name, deleted_at=None).first()
    function = found or define_function(actor=account("olga"), name=name)
    work = implement(function, code, author=author)
    worker.drain()
    work.refresh_from_db()
    return work


@pytest.fixture
def library(transactional_db: None, worker: Drainer) -> dict[str, Function]:
    """Functions with a test, a circle and an odd name, whose releases have been built."""
    functions = {name: define_function(actor=account("olga"), name=name) for name in SOURCES}
    publish_test(functions["Thrice"], TEST)
    for name, code in SOURCES.items():
        implement(functions[name], code)
    worker.drain()
    assert build_releases(0) == 0
    return functions
