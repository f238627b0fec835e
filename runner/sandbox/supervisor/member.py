"""One process of a run, as its supervisor sees it: what it tells, has used, and how it ended."""

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
_BYTES_EACH = 400  # so many go with one code that is kept


class CodeCache:
    """Code by a module's name and source, so that what many programs contain is compiled once.

    It is never looked into here: a child made it before any user code ran there, and only children
    load it. The least recently used is thrown away.
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
        """Keep a module's code; what is kept already stays as it is."""
        key = (module.name, module.source)
        if key in self._codes:
            return
        self._codes[key] = code
        self._bytes += len(code) + len(module.source) + _BYTES_EACH
        while self._bytes > _MOST_CODE_BYTES:
            (_, source), thrown = self._codes.popitem(last=False)
            self._bytes -= len(thrown) + len(source) + _BYTES_EACH


@dataclass(eq=False)
class Member:
    """A process with its part in a run."""

    role: Role
    process: Process
    modules: Sequence[Module]
    codes: CodeCache
    cpu_look: float = math.inf
    hostile: str = ""  # what it sent that no honest process sends
    has_result: bool = False  # it has told the result of the run
    is_over_cpu: bool = False
    is_exhausted: bool = False
    is_silent: bool = False  # nothing more comes from its pipe
    has_died: bool = False  # by itself, before the run was over
    is_over: bool = False  # the news of its end has come
    status: int | None = None  # as `wait` tells; None as well where nobody can tell
    _reader: protocol.FrameReader = field(default_factory=protocol.FrameReader)
    # What it had used before it ran anything of the program.
    _base: Usage | None = None
    _used: Usage = _NOTHING
    _started: bool = False
    # The first module whose code isn't known: the only one that it may tell, once.
    _awaited: int | None = None

    @property
    def is_ready(self) -> bool:
        """Whether it had confined itself, and waited for its program."""
        return self._base is not None

    def known_codes(self) -> list[bytes | None]:
        """Return the code of its modules as far as it is known."""
        codes = [self.codes.get(module) for module in self.modules]
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
        """Tell whether a frame is the run's business; raises Hostile for one out of order."""
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
        """Up to here no user code has run in the process, so what it says is true."""
        if self._started or (self._base is None and kind is not Kind.READY):
            raise Hostile("a process starts once, and in order")
        if kind is Kind.COMPILED:
            place, code = protocol.decode_compiled(body)
            if place != self._awaited:
                raise Hostile("code that nobody waits for")
            self._awaited = None
            self.codes.put(self.modules[place], code)
            return
        self._base = protocol.decode_usage(body)
        self._started = kind is Kind.STARTED

    def spent_cpu_us(self) -> int:
        """Return the CPU time of the program's own so far; 0 if nobody knows."""
        used = self.process.cpu_us()
        if used is None or self._base is None:
            return 0
        self._used = self._used._replace(cpu_us=used)
        return max(0, used - self._base.cpu_us)

    def spent(self) -> Usage:
        """Return what the program itself has used, of all that the process has."""
        if not self.is_over:
            self.spent_cpu_us()
            if (peak := self.process.peak_bytes()) is not None:
                self._used = self._used._replace(resident_bytes=peak)
        pairs = zip(self._used, self._base or self._used, strict=True)
        return Usage(*(max(0, used - before) for used, before in pairs))

    def finish(self, status: int | None, used: Usage) -> None:
        """Note that it was reaped; no status where nobody can tell how it ended."""
        self.is_over = self.is_silent = True
        self.status = status
        if status is not None:
            self._used = used
