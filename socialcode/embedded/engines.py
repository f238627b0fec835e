"""The private engines, PostgreSQL and Valkey, owned by one process at a time."""

import contextlib
import fcntl
import os
import signal
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from socialcode.embedded.children import stop_child
from socialcode.embedded.failures import AlreadyRunning, EngineFailed, from_os_error
from socialcode.embedded.places import Places
from socialcode.embedded.postgres import STOP_SIGNAL as POSTGRES_STOP
from socialcode.embedded.postgres import start_postgres
from socialcode.embedded.valkey import STOP_SIGNAL as VALKEY_STOP
from socialcode.embedded.valkey import start_valkey


class Engines:
    """The engines of one folder, which this process locks until `stop`.

    `postgres` and `valkey` select the engines to start.
    """

    def __init__(
        self, root: Path, *, durable: bool = True, postgres: bool = True, valkey: bool = True
    ) -> None:
        self.places = Places(root.resolve())
        self._durable = durable
        self._requested = (postgres, valkey)
        self._lock: TextIO | None = None
        self._running: list[tuple[subprocess.Popen[bytes], signal.Signals]] = []

    def hold(self) -> None:
        """Lock the folder. Raises `AlreadyRunning` if another process has it."""
        if self._lock is not None:
            return
        try:
            self._make_folders()
            self._take_lock()
        except OSError as error:
            raise from_os_error(error, self.places.root) from error

    def start(self) -> Self:
        """Start the requested engines. If one fails, stop the other and raise `EngineFailed`."""
        postgres, valkey = self._requested
        self.hold()
        try:
            if postgres:
                child = start_postgres(self.places, durable=self._durable)
                self._running.append((child, POSTGRES_STOP))
            if valkey:
                child = start_valkey(self.places, durable=self._durable)
                self._running.append((child, VALKEY_STOP))
        except OSError as error:
            self.stop()
            raise from_os_error(error, self.places.root) from error
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Stop the engines, last first, and unlock the folder."""
        while self._running:
            stop_child(*self._running.pop())
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def pids(self) -> list[int]:
        """The pids of the engines, in the order of their start."""
        return [child.pid for child, _ in self._running]

    def failed(self) -> str | None:
        """Return the name of an engine that has ended by itself, if one has."""
        for child, stop_signal in self._running:
            if child.poll() is not None:
                return "PostgreSQL" if stop_signal is POSTGRES_STOP else "Valkey"
        return None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _make_folders(self) -> None:
        self.places.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.places.sockets.mkdir(mode=0o700, exist_ok=True)
        owner = self.places.sockets.lstat()
        # The short folder for sockets is in /tmp, where others may have created it.
        if self.places.sockets.is_symlink() or owner.st_uid not in (os.geteuid(), _nobody()):
            raise EngineFailed(
                f"{self.places.sockets} belongs to another user. Remove it, or set"
                " SOCIALCODE_VAR to a folder with a shorter name."
            )
        self.places.sockets.chmod(0o700)

    def _take_lock(self) -> None:
        lock = self.places.lock.open("a+", encoding="ascii")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "unknown"
            lock.close()
            raise AlreadyRunning(
                f"Social Code already runs from this folder ({self.places.root}) as process"
                f" {holder}. Stop that one with Ctrl-C, or set SOCIALCODE_VAR to another folder"
                " and PORT to another port."
            ) from None
        with contextlib.suppress(OSError):
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
        self._lock = lock


def _nobody() -> int:
    """Return the id of the user that PostgreSQL runs as: nobody in place of root."""
    return 65534 if os.geteuid() == 0 else os.geteuid()
