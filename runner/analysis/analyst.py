"""The confined side of an analysis: calls a registered function with JSON."""

from __future__ import annotations

import gc
import json
import os
import struct
import traceback
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, NoReturn

from runner.sandbox.process.output import Output

HEADER = struct.Struct("<BI")
_PIPE = 3
_MAX_TRACE = 8_000


class Said(IntEnum):
    """The kinds of an analysis's frames; the numbers differ from those of `protocol.Kind`."""

    ANSWERED = 100
    TOO_DEEP = 101
    FAILED = 102


class Analyst:
    """Runs analyses, instead of programs, in children of a zygote that was started with it.

    Its functions are pure; their arguments and results are JSON values.
    """

    def __init__(self, functions: Mapping[str, Callable[[Any], Any]]) -> None:
        self._functions = functions

    def __call__(self, content: Any, output: Output, borders: list[int]) -> NoReturn:  # noqa: ARG002
        """Send the result and exit; the caller reports a MemoryError, from its reserve."""
        gc.disable()  # the process ends soon
        name, payload = content["name"], content["payload"]
        try:
            result = json.dumps(self._functions[name](json.loads(payload)))
        except RecursionError:
            _send(Said.TOO_DEEP, b"")
        except MemoryError:
            raise
        except Exception:
            trace = traceback.format_exc()[-_MAX_TRACE:]
            _send(Said.FAILED, trace.encode("utf-8", "backslashreplace"))
        _send(Said.ANSWERED, result.encode("ascii"))


def _send(kind: Said, body: bytes) -> NoReturn:
    frame = memoryview(HEADER.pack(kind, len(body)) + body)
    while frame:
        frame = frame[os.write(_PIPE, frame) :]
    os._exit(0)
