"""Requests analyses and caches their results."""

import hashlib
import json
import select
import time
from dataclasses import asdict
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import connection

from runner.analysis.pool import Analysis, Ended
from runner.calls.connections import borrow_connection, open_connection, read_exactly
from runner.calls.frames import HEADER, decode_body, encode_frame, frame_length
from runner.programs.text_cache import TextCache
from runner.sandbox import RUNTIME_VERSION

# Longer than the maximum of queueing and running together.
ANSWER_SECONDS = 14.0
# A request that takes longer returns its database connection to the pool.
SHORT_MS = 50
PROBE_SECONDS = 1.0
MAX_CACHED_BYTES = 16 * 1024 * 1024
# How long a failure is cached.
FAILURE_SECONDS = 60.0
MAX_FAILURES = 1_000
_SOURCE_FAILURES = {
    Ended.TOO_DEEP,
    Ended.CPU_LIMIT,
    Ended.MEMORY_LIMIT,
    Ended.TOO_LARGE,
    Ended.CRASHED,
    Ended.FAILED,
}


class AnalysisUnavailable(Exception):
    """No analysis server is running, or it stopped during the analysis."""


class AnalysisBusy(Exception):
    """The server's queue is full; `own`: because of the same owner's analyses."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("the analysis server is full")
        self.own = own


class AnalysisFailed(Exception):
    """The source exceeds a limit of the analysis; `ended` is the reason."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended.value)
        self.ended = ended


class _Failures:
    """Recent failures by key. Thread-safe."""

    def __init__(self) -> None:
        self._ended: dict[str, tuple[float, Ended]] = {}
        self._lock = Lock()

    def find(self, key: str) -> Ended | None:
        until, ended = self._ended.get(key, (0.0, None))
        return ended if time.monotonic() < until else None

    def add(self, key: str, ended: Ended) -> None:
        with self._lock:
            if len(self._ended) >= MAX_FAILURES:
                self._ended.clear()
            self._ended[key] = (time.monotonic() + FAILURE_SECONDS, ended)


_results = TextCache(MAX_CACHED_BYTES)
_failures = _Failures()


def analyse(name: str, value: Any, *, owner: str, **limits: int) -> Any:
    """Return the result of the named function for a JSON value, computed in another process.

    `limits` are fields of `Analysis`. Results are cached. Must not be called in a transaction.
    Raises AnalysisFailed if the source exceeds a limit, and AnalysisBusy and AnalysisUnavailable if
    a retry may help.
    """
    analysis = Analysis(name, json.dumps(value), **limits)
    key = _key(analysis)
    if text := _results.find([key]).get(key):
        return json.loads(text)
    if ended := _failures.find(key):
        raise AnalysisFailed(ended)
    content = _request({"owner": owner, "analysis": asdict(analysis)})
    match content:
        case {"ended": Ended.ANSWERED, "text": str(text)}:
            _results.keep({key: text})
            return json.loads(text)
        case {"ended": Ended.WALL_LIMIT}:
            raise AnalysisBusy(own=False)
        case {"ended": str(reason)} if reason in _SOURCE_FAILURES:
            _failures.add(key, Ended(reason))
            raise AnalysisFailed(Ended(reason))
        case {"busy": bool(own)}:
            raise AnalysisBusy(own=own)
    raise AnalysisUnavailable(str(content.get("broken", "an empty answer")))


def wait_for_analysis_server(seconds: float) -> bool:
    """Wait until a server listens; false on timeout."""
    deadline = time.monotonic() + seconds
    while not (is_available := is_analysis_available()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return is_available


def is_analysis_available() -> bool:
    """Return whether a server listens."""
    try:
        open_connection(settings.ANALYSIS_SOCKET, PROBE_SECONDS).close()
    except OSError:
        return False
    return True


def _key(analysis: Analysis) -> str:
    return hashlib.sha256(f"{RUNTIME_VERSION} {analysis}".encode()).hexdigest()


def _request(content: dict[str, Any]) -> dict[str, Any]:
    try:
        with borrow_connection(settings.ANALYSIS_SOCKET) as server:
            server.settimeout(ANSWER_SECONDS)
            server.sendall(encode_frame(content))
            poll = select.poll()
            poll.register(server, select.POLLIN)
            if not poll.poll(SHORT_MS) and not connection.in_atomic_block:
                connection.close()
            length = frame_length(read_exactly(server, HEADER.size))
            return decode_body(read_exactly(server, length))
    except TimeoutError as error:
        raise AnalysisBusy(own=False) from error
    except OSError as error:
        raise AnalysisUnavailable(repr(error)) from error
