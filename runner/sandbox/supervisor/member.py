"""One process of a run, as its supervisor sees it: what it tells, has used, and how it ended."""

from __future__ import annotations

import math
from collections.abc import Sequence

from runner.sandbox.programs import Module
from runner.sandbox.supervisor import protocol
from runner.sandbox.supervisor.codes import CodeCache
from runner.sandbox.supervisor.process import Process
from runner.sandbox.supervisor.protocol import (
    OF_JUDGE,
    Frame,
    FrameReader,
    Hostile,
    Kind,
    Role,
    Usage,
)

_NOTHING = Usage(0, 0)


class Member:
    """A process with its part in a run.

    Attributes:
        hostile: what it sent that no honest process sends, or "".
        is_silent: nothing more comes from its pipe.
        has_died: it ended by itself, before the run was over.
        status: how it ended, as `wait` tells; None before, or where nobody can tell.
    """

    def __init__(
        self, role: Role, process: Process, modules: Sequence[Module], codes: CodeCache
    ) -> None:
        self.role = role
        self.process = process
        self.cpu_look = math.inf
        self.is_over_cpu = False
        self.is_exhausted = False
        self.is_silent = False
        self.has_died = False
        self.hostile = ""
        self.status: int | None = None
        self._modules = modules
        self._codes = codes
        self._reader = FrameReader()
        # What it had used before it ran anything of the program.
        self._base: Usage | None = None
        self._started = False
        self._has_result = False
        self._used: Usage | None = None
        self._finished = False
        # The first module whose code isn't known: the only one that it may tell, once.
        self._awaited: int | None = None

    @property
    def names(self) -> list[str]:
        return [module.name for module in self._modules]

    @property
    def is_ready(self) -> bool:
        """Whether it had confined itself, and waited for its program."""
        return self._base is not None

    @property
    def has_result(self) -> bool:
        """Whether it has told the result of the run."""
        return self._has_result

    @property
    def is_over(self) -> bool:
        """Whether the news of its end has come."""
        return self._finished

    def known_codes(self) -> list[bytes | None]:
        """Return the code of its modules as far as it is known."""
        codes = [self._codes.get(module) for module in self._modules]
        self._awaited = codes.index(None) if None in codes else None
        return codes

    def receive(self) -> list[Frame] | None:
        """Return frames that its role may send; None if there is nothing yet."""
        frames: list[Frame] = []
        try:
            received = self.process.receive()
            for kind, body in self._reader.feed(received):
                if self._accepts(kind, body):
                    frames.append((kind, body))
            self.is_silent = self._has_result or not received
            if self._has_result:
                self._reader.expect_nothing()
        except BlockingIOError:
            return None
        except Hostile as hostile:
            self.hostile = self.hostile or str(hostile)
            self.is_silent = True
        except ConnectionError:
            self.is_silent = True
        return frames

    def _accepts(self, kind: Kind, body: bytes) -> bool:
        """Tell whether a frame is the run's business; raises Hostile for one out of order."""
        if self._has_result:
            raise Hostile("something came after the result")
        if kind < Kind.LINE:
            self._accept_before_start(kind, body)
            return False
        if not self._started:
            raise Hostile("something came before the start")
        if kind in OF_JUDGE and self.role is not Role.JUDGE:
            raise Hostile("an implementation reports no results")
        self._has_result = kind is Kind.RESULT
        return True

    def _accept_before_start(self, kind: Kind, body: bytes) -> None:
        """Up to here no user code has run in the process, so what it says is true."""
        if self._started or (self._base is None and kind is not Kind.READY):
            raise Hostile("a process starts once, and in order")
        if kind is Kind.COMPILED:
            place, code = protocol.decode_compiled(body)
            if place != self._awaited:
                raise Hostile("code that nobody waits for")
            self._awaited = None
            self._codes.put(self._modules[place], code)
            return
        self._base = protocol.decode_usage(body)
        self._started = kind is Kind.STARTED

    def spent_cpu_us(self) -> int:
        """Return the CPU time of the program's own so far; 0 if nobody knows."""
        used, base = self.process.cpu_us(), self._base
        if used is None or base is None:
            return 0
        self._used = Usage(used, self._used.resident_bytes if self._used else 0)
        return max(0, used - base.cpu_us)

    def spent(self) -> Usage:
        """Return what the program itself has used, of all that the process has."""
        if not self._finished:
            self.spent_cpu_us()
            peak = self.process.peak_bytes()
            if peak is not None and self._used is not None:
                self._used = Usage(self._used.cpu_us, peak)
        base = self._base or _NOTHING
        used = self._used or base
        cpu_us = max(0, used.cpu_us - base.cpu_us)
        return Usage(cpu_us, max(0, used.resident_bytes - base.resident_bytes))

    def finish(self, status: int | None, used: Usage) -> None:
        """Note that it was reaped; no status where nobody can tell how it ended."""
        self._finished = True
        self.is_silent = True
        self.status = status
        if status is not None:
            self._used = used
