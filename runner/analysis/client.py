"""Asks for analyses, and remembers the answers."""

import hashlib
import json
import select
import socket
import time
from dataclasses import asdict
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import connection

from runner.analysis.pool import Analysis, Ended
from runner.calls.lines import connected, read_exactly
from runner.calls.messages import HEADER, frame, frame_length, read_body
from runner.sandbox import RUNTIME_VERSION
from runner.texts import Texts

# Longer than an analysis waits for its turn, and runs, together.
ANSWER_SECONDS = 14.0
# What takes longer leaves its database connection to pages.
SHORT_MS = 50
MOST_REMEMBERED_BYTES = 16 * 1024 * 1024
# What was too much for the limits is not tried again at once.
FAILURE_SECONDS = 60.0
MOST_FAILURES = 1_000
_OF_THE_SOURCE = {
    Ended.TOO_DEEP,
    Ended.CPU_LIMIT,
    Ended.MEMORY_LIMIT,
    Ended.TOO_LARGE,
    Ended.CRASHED,
    Ended.FAILED,
}


class AnalysesAway(Exception):
    """Nobody analyses here, or whoever did has ended amid it."""


class AnalysesBusy(Exception):
    """There is no room for it now; `own` says that the owner's other analyses take it."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("no room for the analysis")
        self.own = own


class Unanswered(Exception):
    """The source is too much for its analysis; `ended` says in which way."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended.value)
        self.ended = ended


class _Failures:
    """What could not be analysed a short while ago; threads share it."""

    def __init__(self) -> None:
        self._ended: dict[str, tuple[float, Ended]] = {}
        self._lock = Lock()

    def find(self, key: str) -> Ended | None:
        until, ended = self._ended.get(key, (0.0, None))
        return ended if time.monotonic() < until else None

    def note(self, key: str, ended: Ended) -> None:
        with self._lock:
            if len(self._ended) >= MOST_FAILURES:
                self._ended.clear()
            self._ended[key] = (time.monotonic() + FAILURE_SECONDS, ended)


_answers = Texts(MOST_REMEMBERED_BYTES)
_failures = _Failures()


def analyse(name: str, value: Any, *, owner: str, **limits: int) -> Any:
    """Return what the function of this name makes of a value of JSON, which another process calls.

    Must not be called in a transaction; the answer to the same question is remembered. Raises
    Unanswered where it is too much, AnalysesBusy and AnalysesAway where waiting may help.
    """
    analysis = Analysis(name, json.dumps(value), **limits)
    key = _key(analysis)
    if text := _answers.find([key]).get(key):
        return json.loads(text)
    if ended := _failures.find(key):
        raise Unanswered(ended)
    content = _ask({"owner": owner, "analysis": asdict(analysis)})
    match content:
        case {"ended": Ended.ANSWERED, "text": str(text)}:
            _answers.keep({key: text})
            return json.loads(text)
        case {"ended": Ended.WALL_LIMIT}:
            raise AnalysesBusy(own=False)
        case {"ended": str(said)} if said in _OF_THE_SOURCE:
            _failures.note(key, Ended(said))
            raise Unanswered(Ended(said))
        case {"busy": bool(own)}:
            raise AnalysesBusy(own=own)
    raise AnalysesAway(str(content.get("broken", "an answer that says nothing")))


def await_analyses(seconds: float) -> bool:
    """Wait so long until somebody analyses; tell whether anybody does."""
    deadline = time.monotonic() + seconds
    while not (answers := do_analyses_answer()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return answers


def do_analyses_answer() -> bool:
    """Tell whether somebody listens."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trying:
            trying.settimeout(1)
            trying.connect(settings.ANALYSIS_SOCKET)
    except OSError:
        return False
    return True


def _key(analysis: Analysis) -> str:
    return hashlib.sha256(f"{RUNTIME_VERSION} {analysis}".encode()).hexdigest()


def _ask(content: dict[str, Any]) -> dict[str, Any]:
    try:
        with connected(settings.ANALYSIS_SOCKET) as line:
            line.settimeout(ANSWER_SECONDS)
            line.sendall(frame(content))
            poll = select.poll()
            poll.register(line, select.POLLIN)
            if not poll.poll(SHORT_MS) and not connection.in_atomic_block:
                connection.close()
            length = frame_length(read_exactly(line, HEADER.size))
            return read_body(read_exactly(line, length))
    except TimeoutError as error:
        raise AnalysesBusy(own=False) from error
    except OSError as error:
        raise AnalysesAway(repr(error)) from error
