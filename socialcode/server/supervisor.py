"""Supervises the site's processes: starts, restarts and stops them in order."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from socialcode.embedded.children import start_child

POLL_SECONDS = 0.2
SHORTEST_DELAY_SECONDS = 1.0
LONGEST_DELAY_SECONDS = 30.0
# The delay is reset if a process ran this long, because then it had no problem at its start.
SETTLED_SECONDS = 60.0
# A worker needs up to ten seconds to finish its program.
STOP_TIMEOUT_SECONDS = 15.0

Report = Callable[[str], None]


@dataclass
class Part:
    """A process of the site, with the time of its next restart."""

    name: str
    arguments: Sequence[str]
    log: Path
    pass_fds: tuple[int, ...] = ()
    child: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    delay_seconds: float = SHORTEST_DELAY_SECONDS
    due_at: float | None = None

    def start(self, folder: Path) -> None:
        """Start the process, which the kernel kills when this one ends."""
        self.child = start_child(
            [sys.executable, *self.arguments], log=self.log, folder=folder, pass_fds=self.pass_fds
        )
        self.started_at = time.monotonic()
        self.due_at = None

    def is_running(self) -> bool:
        """Return whether the process is running."""
        return self.child is not None and self.child.poll() is None

    def last_line(self) -> str:
        """Return the last line of its log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "(empty)"


@dataclass
class Supervisor:
    """The site's processes, in the order in which they are started and stopped."""

    folder: Path
    logs: Path
    report: Report
    parts: list[Part] = field(default_factory=list)

    def add(self, name: str, *arguments: str, pass_fds: tuple[int, ...] = ()) -> None:
        """Start another process with a new log file, and keep that of the last run."""
        self.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = self.logs / f"{name.replace(' ', '-')}.log"
        if log.exists():
            log.replace(log.with_suffix(".last.log"))
        part = Part(name, arguments, log, pass_fds)
        part.start(self.folder)
        self.parts.append(part)

    def watch(self, engines_failed: Callable[[], str | None]) -> str:
        """Restart processes that end, until an engine has ended; return its name."""
        while (failed := engines_failed()) is None:
            for part in self.parts:
                if not part.is_running():
                    self._restart(part)
            time.sleep(POLL_SECONDS)
        return failed

    def _restart(self, part: Part) -> None:
        """Restart a process, with a growing delay if it ends soon after each start."""
        now = time.monotonic()
        if part.due_at is None:
            settled = now - part.started_at > SETTLED_SECONDS
            part.delay_seconds = SHORTEST_DELAY_SECONDS if settled else part.delay_seconds
            part.due_at = now + part.delay_seconds
            code = part.child.returncode if part.child else None
            self.report(
                f"The {part.name} ended (code {code}). Last line of its log: {part.last_line()}\n"
                f"It restarts in {part.delay_seconds:.0f} s. Full log: {part.log}"
            )
            part.delay_seconds = min(part.delay_seconds * 2, LONGEST_DELAY_SECONDS)
        elif now >= part.due_at:
            part.start(self.folder)

    def stop(self) -> None:
        """Stop the processes in order, those of one kind together; a second Ctrl-C kills all."""
        signal.signal(signal.SIGINT, lambda *_: self._kill())
        kinds = dict.fromkeys(part.name.split()[0] for part in self.parts)
        for kind in kinds:
            stopping = [part for part in self.parts if part.name.split()[0] == kind]
            for part in stopping:
                if part.child is not None and part.is_running():
                    part.child.terminate()
            deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
            while any(part.is_running() for part in stopping) and time.monotonic() < deadline:
                time.sleep(0.02)
        self._kill()

    def _kill(self) -> None:
        for part in self.parts:
            if part.child is not None and part.is_running():
                part.child.kill()
                part.child.wait()
