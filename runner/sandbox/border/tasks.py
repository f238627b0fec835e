"""Tasks that are run for the other side."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import types
from collections.abc import Coroutine, Sequence
from typing import Any


def make_task(
    loop: asyncio.AbstractEventLoop,
    coroutine: Coroutine[Any, Any, Any],
    context: contextvars.Context,
) -> asyncio.Task[Any]:
    """Make a task that has run up to where it waits."""
    if sys.version_info >= (3, 12):
        return asyncio.Task(coroutine, loop=loop, context=context, eager_start=True)
    return loop.create_task(coroutine, context=context)


def coroutine_of(target: Any, name: str, args: Sequence[Any]) -> Coroutine[Any, Any, Any]:
    """Return a coroutine that awaits an object, or what its special method of this name returns."""
    awaitable = target if name == "__await__" else getattr(type(target), name)(target, *args)
    return awaitable if type(awaitable) is types.CoroutineType else _await(awaitable)


async def _await(awaitable: Any) -> Any:
    return await awaitable


async def end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Do what `asyncio.run` does at its end."""
    tasks = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await loop.shutdown_asyncgens()


def outcome_of(task: asyncio.Task[Any]) -> tuple[Any, ...]:
    """Return what a task gave, or nothing if it was cancelled; raises what it raised."""
    return () if task.cancelled() else (task.result(),)
