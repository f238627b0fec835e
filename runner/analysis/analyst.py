"""The confined side of an analysis: one of the functions that a zygote has loaded, on JSON."""

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
_LONGEST_TRACE = 8_000


class Said(IntEnum):
    """What an answer is; the numbers are none that frames of programs begin with."""

    ANSWERED = 100
    TOO_DEEP = 101
    FAILED = 102


class Analyst:
    """Runs in place of programs in children of a zygote that was started with it.

    Its functions are pure, take what JSON has and return it.
    """

    def __init__(self, functions: Mapping[str, Callable[[Any], Any]]) -> None:
        self._functions = functions

    def __call__(self, content: Any, output: Output, borders: list[int]) -> NoReturn:  # noqa: ARG002
        """Answer and end; a MemoryError is for the caller, who has kept some for saying so."""
        gc.disable()  # what is made here goes with this process
        name, payload = content["name"], content["payload"]
        try:
            answer = json.dumps(self._functions[name](json.loads(payload)))
        except RecursionError:
            _say(Said.TOO_DEEP, b"")
        except MemoryError:
            raise
        except Exception:
            trace = traceback.format_exc()[-_LONGEST_TRACE:]
            _say(Said.FAILED, trace.encode("utf-8", "backslashreplace"))
        _say(Said.ANSWERED, answer.encode("ascii"))


def _say(said: Said, body: bytes) -> NoReturn:
    frame = memoryview(HEADER.pack(said, len(body)) + body)
    while frame:
        frame = frame[os.write(_PIPE, frame) :]
    os._exit(0)
