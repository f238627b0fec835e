"""Ends a run in which nothing happens any more, as it may be when a test process has crashed."""

import faulthandler
import os
import threading
import time

import pytest

# Several times what a single test has before its process ends (`faulthandler_timeout`).
LONGEST_SILENCE_SECONDS = 900.0
LOOK_SECONDS = 5.0
STDERR = 2


class Listener:
    """Hears each report; where none comes for long, this process says where it stands and ends.

    What it has started ends with it.
    """

    def __init__(self, longest_silence_seconds: float, look_seconds: float = LOOK_SECONDS) -> None:
        self._longest_silence_seconds = longest_silence_seconds
        self._look_seconds = look_seconds
        self._heard_at = time.monotonic()
        self._is_over = threading.Event()
        threading.Thread(target=self._listen, name="silence", daemon=True).start()

    def pytest_runtest_logreport(self) -> None:
        self._heard_at = time.monotonic()

    def pytest_sessionfinish(self) -> None:
        self._is_over.set()

    def _listen(self) -> None:
        while not self._is_over.wait(self._look_seconds):
            silence = time.monotonic() - self._heard_at
            if silence > self._longest_silence_seconds:
                os.write(STDERR, f"\nno test has ended for {silence:.0f} s\n".encode())
                faulthandler.dump_traceback(STDERR)
                os._exit(pytest.ExitCode.INTERNAL_ERROR)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Listen where the reports of all processes arrive; a single process ends by itself."""
    config = session.config
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Listener(LONGEST_SILENCE_SECONDS))
