"""`threading.Thread` for the one thread that there is.

A thread that has been started runs, from its beginning to its end, when somebody waits: for it, for
a lock, a queue or an event, or for time to pass. That is an order which real threads may take, too.
Who waits in one for what another has begun and not done waits in vain, and is told so.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from runner.sandbox import exhaustion
from runner.sandbox.standins import reporting, streams, waiting

_numbers = itertools.count(1)
_idents = itertools.count(1)


class Thread:
    """threading.Thread."""

    def __init__(
        self,
        group: None = None,
        target: Callable[..., Any] | None = None,
        name: str | None = None,
        args: Iterable[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        daemon: bool | None = None,
    ) -> None:
        if group is not None:
            raise ValueError("group argument must be None for now")
        self._target, self._args, self._kwargs = target, (*args,), {**(kwargs or {})}
        self.name = name or _made_up_name(target)
        self.daemon: bool = running[-1].daemon if daemon is None else bool(daemon)
        self.ident: int | None = None
        self._ended = False

    @property
    def native_id(self) -> int | None:
        return self.ident

    def start(self) -> None:
        if self.ident is not None:
            raise RuntimeError("threads can only be started once")
        self.ident = next(_idents)
        waiting.started.append(self._bootstrap)

    def run(self) -> None:
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def join(self, timeout: float | None = None) -> None:
        if self.ident is None:
            raise RuntimeError("cannot join thread before it is started")
        if self is running[-1]:
            raise RuntimeError("cannot join current thread")
        waiting.wait(lambda: self._ended, timeout)

    def is_alive(self) -> bool:
        return self.ident is not None and not self._ended

    def __repr__(self) -> str:
        state = "initial" if self.ident is None else "stopped" if self._ended else "started"
        kind = type(self).__name__
        return f"<{kind}({self.name}, {state}{' daemon' * self.daemon} {self.ident or ''})>"

    def _bootstrap(self) -> None:
        running.append(self)
        try:
            self.run()
        except waiting.Deadlock:
            # Nobody misses one that would have been cut off at the end.
            if not self.daemon:
                raise
        except SystemExit:
            pass
        except BaseException as error:
            if exhaustion.heed(error) or not isinstance(error, Exception):
                raise
            _report(self, error)
        finally:
            running.pop()
            self._ended = True


class Timer(Thread):
    """threading.Timer."""

    def __init__(
        self, interval: float, function: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> None:
        super().__init__(target=function, args=args or (), kwargs=kwargs)
        self.interval = interval
        self._is_cancelled = False

    def cancel(self) -> None:
        self._is_cancelled = True

    def run(self) -> None:
        if not self._is_cancelled:
            waiting.sleep(self.interval)
            super().run()


class _MainThread(Thread):
    def __init__(self) -> None:
        self.name, self.daemon, self._ended = "MainThread", False, False
        self.ident = next(_idents)


def _made_up_name(target: Any) -> str:
    name = f"Thread-{next(_numbers)}"
    called = getattr(target, "__name__", None)
    return f"{name} ({called})" if type(called) is str else name


def _report(thread: Thread, error: Exception) -> None:
    said = "".join(reporting.format_exception(error))
    streams.standard.stderr.write(f"Exception in thread {thread.name}:\n{said}")


_main = _MainThread()
# The innermost comes last.
running: list[Thread] = [_main]


def _alive() -> list[Thread]:
    begun = [thread for thread in running if thread.is_alive()]
    return begun + [begin.__self__ for begin in waiting.started]  # type: ignore[attr-defined]


THREADING: dict[str, Any] = {
    "Thread": Thread,
    "Timer": Timer,
    "current_thread": lambda: running[-1],
    "main_thread": lambda: _main,
    "get_ident": lambda: running[-1].ident,
    "active_count": lambda: len(_alive()),
    "enumerate": _alive,
}
