"""Ends a test that hangs and a run in which nothing happens, and says at its end where they stood.

pytest's own limit is lifted once a test has failed, however long what it leaves then takes to end.
"""

import contextlib
import faulthandler
import os
import signal
import tempfile
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

LOOK_SECONDS = 2.0
# Within that, processes of tests say where they stand, and the run is at its end without them.
LEAVE_SECONDS = 60.0
STDERR = 2

traces_key = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("longest_test_seconds", "ends a test's process after it; 0 never", default="300")
    parser.addini("longest_silence_seconds", "ends all processes of a silent run", default="600")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the traces of a process that shares the work; a single one has its own say."""
    longest_test = float(config.getini("longest_test_seconds"))
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        name = f"{worker['workerid']}.{os.getpid()}"
        traces = os.open(Path(worker["traces"], name), os.O_WRONLY | os.O_CREAT)
        faulthandler.register(signal.SIGUSR1, traces)
        config.pluginmanager.register(Limit(traces, longest_test))
    elif config.getoption("numprocesses", None):
        config.stash[traces_key] = folder = tempfile.TemporaryDirectory(prefix="traces-")
        longest_silence = float(config.getini("longest_silence_seconds"))
        config.pluginmanager.register(Controller(Path(folder.name), longest_silence))
    else:
        stderr = os.dup(STDERR)  # as it is before tests take it over
        config.pluginmanager.register(Limit(stderr, longest_test))


def pytest_unconfigure(config: pytest.Config) -> None:
    if traces := config.stash.get(traces_key, None):
        traces.cleanup()


class Limit:
    """Ends the process of a test that takes too long, from its first fixture to its last."""

    def __init__(self, traces: int, longest_test_seconds: float) -> None:
        self._traces = traces
        self._seconds = longest_test_seconds
        faulthandler.enable(traces)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        if self._seconds:
            faulthandler.dump_traceback_later(self._seconds, file=self._traces, exit=True)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def pytest_enter_pdb(self) -> None:
        """A person takes as long as they like."""
        faulthandler.cancel_dump_traceback_later()


class Controller:
    """Hears of each test; where nothing is heard for long, ends all processes of tests.

    So the run ends as others do, with all failures told, and then the traces of processes.
    """

    def __init__(self, traces: Path, longest_silence_seconds: float) -> None:
        self._traces = traces
        self._longest_silence_seconds = longest_silence_seconds
        self._heard_at = time.monotonic()
        self._is_over = threading.Event()
        threading.Thread(target=self._listen, name="standstill", daemon=True).start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["traces"] = str(self._traces)

    def pytest_runtest_logreport(self) -> None:
        self._heard_at = time.monotonic()

    def pytest_sessionfinish(self) -> None:
        self._is_over.set()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for traces in sorted(self._traces.iterdir()):
            if said := traces.read_text(errors="replace"):
                terminalreporter.section(f"where {traces.stem} stood")
                terminalreporter.write_line(said)

    def _listen(self) -> None:
        while (silence := time.monotonic() - self._heard_at) <= self._longest_silence_seconds:
            if self._is_over.wait(min(LOOK_SECONDS, self._longest_silence_seconds)):
                return
        os.write(STDERR, f"\nno test has ended for {silence:.0f} s\n".encode())
        for told in (signal.SIGUSR1, signal.SIGKILL):
            for traces in self._traces.iterdir():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(traces.suffix[1:]), told)
            time.sleep(LOOK_SECONDS)
        if not self._is_over.wait(LEAVE_SECONDS):
            faulthandler.dump_traceback(STDERR)
            os._exit(pytest.ExitCode.INTERNAL_ERROR)
