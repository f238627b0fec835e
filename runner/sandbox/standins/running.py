"""What the stand-ins know of the running program; execution fills it in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Of each module by its name: the globals of its functions, and its text.
namespaces: dict[str, dict[str, Any]] = {}
sources: dict[str, str] = {}

# What there is to import, by its full name.
modules: dict[str, Any] = {}

# How to run what an `async def` returns, once there is a loop to do it.
run_coroutine: list[Callable[[Any], Any]] = []

# As deep as a program may set its recursion limit.
most_frames = 50_000
