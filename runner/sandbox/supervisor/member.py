"""The supervisor's view of one process of a run: its frames, its usage and its end."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from runner.sandbox.programs import Module
from runner.sandbox.supervisor import protocol
from runner.sandbox.supervisor.process import Process
from runner.sandbox.supervisor.protocol import Frame, Hostile, Kind, Role, Usage

_MOST_CODE_BYTES = 16 * 1024 * 1024
_NOTHING = Usage(0, 0)
_OVERHEAD_BYTES = 400  # per entry of the cache


class CodeCache:
    """An LRU cache of compiled code by module name and source, shared by all programs of a pool.

    Code is never loaded here: a child has compiled it before any user code ran there, and only
    children load it.
    """

    def __init__(self) -> None:
        self._bytes = 0
        self._codes: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def get(self, module: Module) -> bytes | None:
        key = (module.name, module.source)
        if key in self._codes:
            self._codes.move_to_end(key)
        return self._codes.get(key)

    def put(self, module: Module, code: bytes) -> None:
        """Add a module's code; an existing entry is kept."""
        key = (module.name, module.source)
        if key in self._codes:
            return
        self._codes[key] = code
        self._bytes += len(code) + len(module.source) + _OVERHEAD_BYTES
        while self._bytes > _MOST_CODE_BYTES:
            (_, source), evicted = self._codes.popitem(last=False)
            self._bytes -= len(evicted) + len(source) + _OVERHEAD_BYTES


@dataclass(eq=False)
class Member:
    """A process of a run, with its role."""

    role: Role
    process: Process
    modules: Sequence[Module]
    codes: CodeCache
    cpu_look: float = math.inf
    hostile: str = ""  # how it has violated the protocol
    has_result: bool = False  # it has sent the run's result
    is_over_cpu: bool = False
    is_exhausted: bool = False  # out of memory
    is_silent: bool = False  # nothing more comes from its pipe
    has_died: bool = False  # it ended by itself before the run was over
    is_over: bool = False  # its end has been reported
    status: int | None = None  # wait status; None while it lives, or if it is unknown
    _reader: protocol.FrameReader = field(default_factory=protocol.FrameReader)
    # Its usage before it ran any of the program.
    _base: Usage | None = None
    _used: Usage = _NOTHING
    _started: bool = False
    # The first module whose code isn't cached: the only one whose code it may send, once.
    _awaited: int | None = None

    @property
    def is_ready(self) -> bool:
        """Whether it has confined itself and reported that it waits for a program."""
        return self._base is not None

    def known_codes(self) -> list[bytes | None]:
        """Return the cached code of its modules, None for modules without."""
        codes = [self.codes.get(module) for module in self.modules]
        self._awaited = codes.index(None) if None in codes else None
        return codes

    def receive(self) -> list[Frame] | None:
        """Return the received frames for the run; None if there is nothing to read yet."""
        frames: list[Frame] = []
        try:
            received = self.process.receive()
            for kind, body in self._reader.feed(received):
                if self._accepts(kind, body):
                    frames.append((kind, body))
            self.is_silent = self.has_result or not received
            if self.has_result:
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
        """Return whether the frame is for the run; raises Hostile if it is out of order."""
        if self.has_result:
            raise Hostile("something came after the result")
        if kind < Kind.LINE:
            self._accept_before_start(kind, body)
            return False
        if not self._started:
            raise Hostile("something came before the start")
        if kind in protocol.OF_JUDGE and self.role is not Role.JUDGE:
            raise Hostile("an implementation reports no results")
        self.has_result = kind is Kind.RESULT
        return True

    def _accept_before_start(self, kind: Kind, body: bytes) -> None:
        """Handle a frame sent before any user code has run, whose content can be trusted."""
        if self._started or (self._base is None and kind is not Kind.READY):
            raise Hostile("a process starts once, with its frames in order")
        if kind is Kind.COMPILED:
            place, code = protocol.decode_compiled(body)
            if place != self._awaited:
                raise Hostile("unexpected code")
            self._awaited = None
            self.codes.put(self.modules[place], code)
            return
        self._base = protocol.decode_usage(body)
        self._started = kind is Kind.STARTED

    def spent_cpu_us(self) -> int:
        """Return the program's CPU time so far; 0 if it is unknown."""
        used = self.process.cpu_us()
        if used is None or self._base is None:
            return 0
        self._used = self._used._replace(cpu_us=used)
        return max(0, used - self._base.cpu_us)

    def spent(self) -> Usage:
        """Return the program's usage: that of the process less what it had used before."""
        if not self.is_over:
            self.spent_cpu_us()
            if (peak := self.process.peak_bytes()) is not None:
                self._used = self._used._replace(resident_bytes=peak)
        pairs = zip(self._used, self._base or self._used, strict=True)
        return Usage(*(max(0, used - before) for used, before in pairs))

    def finish(self, status: int | None, used: Usage) -> None:
        """Store that the process has ended; the status is None if it is unknown."""
        self.is_over = self.is_silent = True
        self.status = status
        if status is not None:
            self._used = used
