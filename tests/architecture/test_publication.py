"""How many of our modules a publication passes, from the POST to its verdicts and its election."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import pytest
from django.test import Client

from functions.models import Function, Implementation
from runner import jobs
from runner.models import Topic
from runner.workers.drainer import Drainer
from tests.architecture.source import ROOT, belongs_to, modules
from tests.support.browser.topic_page import StreamSite
from tests.support.sockets.client import StreamClient
from tests.support.works import account, constant, define, draft_implementation, publish_test

# Since Python 3.12.
monitoring: Any = getattr(sys, "monitoring", None)

WALK = ROOT / "docs/architecture.md"
TESTS = 3
MOST_FOR_VERDICTS = 82
MOST = 102
# Limits acknowledgements, which may come after the last verdict.
SOMETIMES_LATER = {"runner.sockets.limits"}
# Run by other processes, and by the page.
ELSEWHERE = (
    "runner.sandbox",
    "runner.analysis.server",
    "runner.analysis.queue",
    "runner.analysis.pool",
)


class Passed:
    """The modules of which a function has run; follow-ups have a thread of their own."""

    def __init__(self) -> None:
        self._names = {str(module.path): module.name for module in modules()}
        self.for_verdicts: set[str] = set()
        self.for_election: set[str] = set()

    def on_start(self, code: CodeType, _offset: int) -> object:
        """Note the function's module."""
        name = self._names.get(code.co_filename, "")
        if not belongs_to(name, "functions", "runner") or belongs_to(name, *ELSEWHERE):
            disable: object = monitoring.DISABLE
            return disable
        is_follow_up = threading.current_thread().name == "follow-ups"
        (self.for_election if is_follow_up else self.for_verdicts).add(name)
        return None


@contextmanager
def traced() -> Iterator[Passed]:
    """Note which modules run, in all threads of this process."""
    passed, tool, events = Passed(), monitoring.PROFILER_ID, monitoring.events
    monitoring.use_tool_id(tool, "modules passed")
    monitoring.register_callback(tool, events.PY_START, passed.on_start)
    monitoring.set_events(tool, events.PY_START)
    try:
        yield passed
    finally:
        monitoring.set_events(tool, events.NO_EVENTS)
        monitoring.register_callback(tool, events.PY_START, None)
        monitoring.free_tool_id(tool)


class Page:
    """A function's page, which follows the function's topic over a real socket."""

    def __init__(self, function: Function) -> None:
        self._site = StreamSite()
        self._stream = StreamClient(self._site.server.url, origin=self._site.server.origin)
        self._topic = Topic.objects.get(name=function.topic)
        self._site.run(self._open())

    async def _open(self) -> None:
        await self._stream.__aenter__()
        topic = self._topic
        await self._stream.follow(topic.name, epoch=topic.epoch, after=topic.head_seq)
        await self._stream.wait_caught_up(topic.name)

    def await_verdicts(self, count: int) -> list[str]:
        """Return the next verdicts."""
        return self._site.run(self._await_verdicts(count))

    async def _await_verdicts(self, count: int) -> list[str]:
        verdicts: list[str] = []
        while len(verdicts) < count:
            event = await self._stream.next_event()
            if event.type == "task.finished":
                verdicts.append(event.payload["verdict"])
        return verdicts

    def close(self) -> None:
        """Close the socket and stop the site."""
        self._site.run(self._stream.__aexit__(None, None, None))
        self._site.close()


def described_modules() -> set[str]:
    """Return the names of the modules that the documented walk links to."""
    paths = re.findall(r"\]\(\.\./((?:functions|runner)/[^)]+)\.py\)", WALK.read_text("utf-8"))
    names = {path.replace("/", ".").removesuffix(".__init__") for path in paths}
    return {name for name in names if not belongs_to(name, *ELSEWHERE)}


def publish(client: Client, draft: Implementation) -> None:
    """Publish an implementation as its page does, and run its programs as a worker does."""
    url = f"/drafts/implementation/{draft.pk}/publish/"
    assert client.post(url, {"version": draft.version}).status_code == 302
    jobs.drain()


@pytest.fixture
def function(
    transactional_db: None, session_drainer: Drainer, monkeypatch: pytest.MonkeyPatch
) -> Function:
    """Define a function with tests, and give it a worker."""
    monkeypatch.setattr(jobs, "_drainer", session_drainer)
    function = define("Two")
    for number in range(TESTS):
        publish_test(function, f"def test_{number}():\n    assert Two() > {number - TESTS}\n")
    return function


@pytest.mark.skipif(monitoring is None, reason="needs Python 3.12")
def test_a_publication_passes_few_modules(function: Function) -> None:
    client = Client()
    client.force_login(account("ida"))
    # Code that no other test has: the analysis of known code is cached.
    first, second = (draft_implementation(function, constant("Two", n)) for n in (1, 20_481))
    publish(client, first)  # imports what is imported late
    page = Page(function)
    with traced() as passed:
        publish(client, second)
        verdicts = page.await_verdicts(TESTS + 1)
    page.close()
    assert verdicts == ["passed"] * (TESTS + 1)
    assert passed.for_election
    everything = passed.for_verdicts | passed.for_election
    assert len(passed.for_verdicts) <= MOST_FOR_VERDICTS, sorted(passed.for_verdicts)
    assert len(everything) <= MOST, sorted(passed.for_election)
    assert described_modules() ^ (everything | SOMETIMES_LATER) == set()
