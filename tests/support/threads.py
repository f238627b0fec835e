"""Doing several things at the same time, each over a database connection of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

from tests.patience import PATIENCE_SECONDS

Given = TypeVar("Given")
Got = TypeVar("Got")


def run_together(act: Callable[[Given], Got], given: Sequence[Given]) -> list[Got]:
    """Call with each of these in a thread of its own; raises what any of them raised."""

    def act_and_close(each: Given) -> Got:
        try:
            return act(each)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(given)) as threads:
        return list(threads.map(act_and_close, given, timeout=PATIENCE_SECONDS))
