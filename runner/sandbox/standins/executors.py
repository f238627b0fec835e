"""`concurrent.futures` for the one thread that there is: what is submitted is done at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Self

from runner.sandbox import exhaustion


class Error(Exception):
    """concurrent.futures._base.Error."""


class CancelledError(Error):
    """concurrent.futures.CancelledError."""


class InvalidStateError(Error):
    """concurrent.futures.InvalidStateError."""


class Future:
    """concurrent.futures.Future."""

    def __init__(self) -> None:
        self._state = "PENDING"
        self._result: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Any], Any]] = []

    def cancel(self) -> bool:
        if self._state == "PENDING":
            self._end("CANCELLED")
        return self.cancelled()

    def cancelled(self) -> bool:
        return self._state == "CANCELLED"

    def running(self) -> bool:
        return False

    def done(self) -> bool:
        return self._state != "PENDING"

    def result(self, timeout: float | None = None) -> Any:
        error = self.exception(timeout)
        if error is not None:
            raise error
        return self._result

    def exception(self, timeout: float | None = None) -> BaseException | None:  # noqa: ARG002
        if self._state == "PENDING":
            raise TimeoutError
        if self._state == "CANCELLED":
            raise CancelledError
        return self._error

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        if self.done():
            fn(self)
        else:
            self._callbacks.append(fn)

    def set_result(self, result: Any) -> None:
        self._end("FINISHED", result)

    def set_exception(self, exception: BaseException | None) -> None:
        self._end("FINISHED", None, exception)

    def _end(self, state: str, result: Any = None, error: BaseException | None = None) -> None:
        if self.done():
            raise InvalidStateError(f"{self._state}: {self!r}")
        self._state, self._result, self._error = state, result, error
        for callback in self._callbacks:
            callback(self)

    def __repr__(self) -> str:
        said = "" if self._error is None else f" raised {type(self._error).__name__}"
        if self._state == "FINISHED" and not said:
            said = f" returned {type(self._result).__name__}"
        return f"<Future at {id(self):#x} state={self._state.lower()}{said}>"


class Executor:
    """concurrent.futures.Executor."""

    def __init__(
        self,
        max_workers: int | None = None,
        thread_name_prefix: str = "",  # noqa: ARG002
        initializer: Callable[..., Any] | None = None,
        initargs: tuple[Any, ...] = (),
        **_more: Any,
    ) -> None:
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._is_shut = False
        if initializer is not None:
            initializer(*initargs)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        if self._is_shut:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = Future()
        try:
            result = fn(*args, **kwargs)
        except BaseException as error:
            if exhaustion.heed(error) or not isinstance(error, Exception | SystemExit):
                raise
            future.set_exception(error)
        else:
            future.set_result(result)
        return future

    def map(
        self,
        fn: Callable[..., Any],
        *iterables: Iterable[Any],
        timeout: float | None = None,  # noqa: ARG002
        chunksize: int = 1,  # noqa: ARG002
    ) -> Iterator[Any]:
        futures = [self.submit(fn, *each) for each in zip(*iterables, strict=False)]
        return (future.result() for future in futures)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        self._is_shut = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.shutdown()


class ThreadPoolExecutor(Executor):
    """concurrent.futures.ThreadPoolExecutor."""


class ProcessPoolExecutor(Executor):
    """concurrent.futures.ProcessPoolExecutor, in this very process."""


class DoneAndNotDoneFutures(NamedTuple):
    """What `wait` returns."""

    done: set[Future]
    not_done: set[Future]


def as_completed(
    fs: Iterable[Future],
    timeout: float | None = None,  # noqa: ARG001
) -> Iterator[Future]:
    """All that are done; for the others one would wait in vain."""
    listed = [*dict.fromkeys(fs)]
    yield from (future for future in listed if future.done())
    if unfinished := sum(not future.done() for future in listed):
        raise TimeoutError(f"{unfinished} (of {len(listed)}) futures unfinished")


def wait(
    fs: Iterable[Future],
    timeout: float | None = None,  # noqa: ARG001
    return_when: str = "ALL_COMPLETED",  # noqa: ARG001
) -> DoneAndNotDoneFutures:
    listed = {*fs}
    done = {future for future in listed if future.done()}
    return DoneAndNotDoneFutures(done, listed - done)


FUTURES: dict[str, Any] = {
    "ThreadPoolExecutor": ThreadPoolExecutor,
    "ProcessPoolExecutor": ProcessPoolExecutor,
    "Executor": Executor,
    "Future": Future,
    "as_completed": as_completed,
    "wait": wait,
    "FIRST_COMPLETED": "FIRST_COMPLETED",
    "FIRST_EXCEPTION": "FIRST_EXCEPTION",
    "ALL_COMPLETED": "ALL_COMPLETED",
    "CancelledError": CancelledError,
    "InvalidStateError": InvalidStateError,
    "TimeoutError": TimeoutError,
}
