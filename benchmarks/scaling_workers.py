"""Workers that execute nothing: every program has passed at once, or after a sleep.

    python -m benchmarks.scaling_workers COUNT MILLISECONDS

All else is the product's: claims, leases, the writer, the recorder and follow-ups.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import django

from benchmarks.site import start_python
from runner.sandbox import Cancelled, LogLine, Outcome, Pool, Program, SandboxBroken, Verdict
from socialcode.embedded.children import stop_child
from socialcode.embedded.launcher import PR_SET_PDEATHSIG, libc

_PASSED = Outcome(Verdict.PASSED, cpu_us=900, wall_us=1_200, peak_bytes=9_000_000, loaded=True)


class InstantPool(Pool):
    """A pool of one slot without a sandbox, whose programs pass after this many seconds."""

    def __init__(self, seconds: float) -> None:
        # Not the sandbox's: that would start a zygote.
        self._seconds = seconds
        self._ending = threading.Event()
        self._cancelled: set[Hashable] = set()

    def map(
        self,
        programs: Iterable[tuple[Hashable, Program]],
        *,
        on_output: Callable[[Hashable, Sequence[LogLine]], None] = lambda _ident, _lines: None,  # noqa: ARG002
        rests: bool = True,  # noqa: ARG002
    ) -> Iterator[tuple[Hashable, Outcome | SandboxBroken | Cancelled]]:
        """Yield each program's result; ask for the next one as soon as one has started."""
        iterator = iter(programs)
        following = next(iterator, None)
        while following:
            ident, _ = following
            following = next(iterator, None)
            if self._ending.is_set() or ident in self._cancelled:
                yield ident, Cancelled()
                continue
            if self._seconds:
                time.sleep(self._seconds)
            yield ident, _PASSED

    def cancel(self, ident: Hashable) -> None:
        """Keep a program from starting."""
        self._cancelled.add(ident)

    def begin_no_more(self) -> None:
        """Cancel the programs that have not begun."""
        self._ending.set()

    def close(self) -> None:
        """Do nothing: there are no processes."""


@contextmanager
def instant_workers(count: int, sleep_ms: int, database_url: str) -> Iterator[int]:
    """Run so many of these workers; yields the process that is the parent of all."""
    folder = Path(os.environ["SOCIALCODE_VAR"])
    parent = start_python(
        f"instant-{count}-{sleep_ms}",
        *("-m", "benchmarks.scaling_workers", str(count), str(sleep_ms)),
        folder=folder,
        environment={
            **os.environ,
            "SOCIALCODE_WORKERS": str(count),
            "DATABASE_URL": database_url,
            "SOCIALCODE_DATABASE_POOL": "1",
        },
    )
    try:
        yield parent.pid
    finally:
        stop_child(parent, signal.SIGTERM)


def _serve(sleep_ms: int) -> None:
    """Serve as `manage.py worker` does, until stopped."""
    libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    # Django has to be set up first.
    from runner.jobs import WorkerProcess  # noqa: PLC0415
    from runner.management.statements import limit_statements  # noqa: PLC0415
    from runner.telemetry.gauges import start_publishing  # noqa: PLC0415

    limit_statements()
    start_publishing("worker")
    WorkerProcess(InstantPool(sleep_ms / 1_000)).serve()


def main(count: int, sleep_ms: int) -> None:
    """Fork the workers, which saves each the import of the site, and stop them when stopped."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialcode.settings")
    django.setup()
    gc.freeze()
    pids: list[int] = []

    def stop(*_: object) -> None:
        for pid in pids:
            os.kill(pid, signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    for _ in range(count):
        pid = os.fork()
        if not pid:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _serve(sleep_ms)
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
