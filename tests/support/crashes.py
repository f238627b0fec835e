"""Has things break at a statement of one's choice, for good or for the process as well."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from tests.patience import PATIENCE_SECONDS


class Crash(Exception):
    """What a test has happen."""


@contextmanager
def failing_at(statement: int, *, after: bool = False, kill: bool = False) -> Iterator[list[str]]:
    """Have this statement of the block fail, before or after the server did it.

    Or kill the process there. Yields the statements that came so far.
    """
    statements: list[str] = []

    def execute(run: Callable[..., Any], sql: str, *given: Any) -> Any:
        statements.append(sql)
        if len(statements) != statement:
            return run(sql, *given)
        if after:
            run(sql, *given)
        if kill:
            os.kill(os.getpid(), signal.SIGKILL)
        raise Crash(sql)

    with connection.execute_wrapper(execute):
        yield statements


def in_child(act: Callable[[], None]) -> int:
    """Do this in a process forked from this one; returns how that ended."""
    connection.close()
    child = os.fork()
    if not child:
        # A lock that was held by a thread, which is not there any more, stays so.
        signal.alarm(int(PATIENCE_SECONDS))
        try:
            act()
        except BaseException:  # noqa: BLE001 - it has no other way to tell
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
