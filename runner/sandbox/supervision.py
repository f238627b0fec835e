"""One run as its supervisor sees it: frames in, limits enforced from outside, an outcome out."""

from __future__ import annotations

import math
import os
import secrets
import time
from dataclasses import dataclass

from runner.sandbox import protocol
from runner.sandbox.codes import CodeCache
from runner.sandbox.endings import described, judge_signal
from runner.sandbox.handles import Child
from runner.sandbox.messages import EXIT_NO_PROGRAM
from runner.sandbox.programs import (
    Cancelled,
    Case,
    LogLine,
    Outcome,
    Program,
    SandboxBroken,
    Verdict,
)
from runner.sandbox.protocol import Hostile, Kind, Result, Usage

_SEND_SECONDS = 10.0
# From being killed, or falling silent, until the news of its end.
_END_SECONDS = 10.0
_NOTHING = Usage(0, 0)
_SHORTEST_LOOK_SECONDS = 0.002


@dataclass(frozen=True, slots=True)
class Loading:
    """What it took to load the modules that a program shares with others, and what they printed."""

    log: tuple[LogLine, ...] = ()
    used: Usage = _NOTHING
    wall_seconds: float = 0.0


class Run:
    """One program in one child, from sending it to its outcome.

    The child may have loaded all but the last module already.
    """

    def __init__(
        self, program: Program, child: Child, codes: CodeCache, loaded: Loading | None = None
    ) -> None:
        self.child = child
        self.program = program
        self._codes = codes
        self._modules = program.modules if loaded is None else program.modules[-1:]
        self._before = loaded or Loading()
        self._token = secrets.token_bytes(protocol.TOKEN_BYTES)
        self._reader = protocol.FrameReader()
        self._began = self._ended = time.monotonic()
        self._deadline = math.inf
        # What the child had used before it ran anything of the program.
        self._base: Usage | None = None
        self._started = False
        # The first module whose code isn't known: the only one that the child may tell, once. Where
        # others have been loaded already, user code has run, and nothing is believed.
        self._awaited: int | None = None
        self._result: Result | None = None
        self._loaded_with: Usage | None = None if loaded is None else _NOTHING
        self._loaded_after = 0.0
        self._cases: list[Case] = []
        self._log: list[LogLine] = []
        self._told = 0
        self._cpu_ms = max(1, program.limits.cpu_ms - self._before.used.cpu_us // 1000)
        self._cpu_look = self._began
        self._seen = _NOTHING
        self._output_bytes = 0
        self._wrote_more_than = ""
        self._killed_for: str | None = None
        self._hostile = ""
        self._silent = False
        self._ends_by: float | None = None
        self._finished: tuple[int | None, Usage] | None = None
        for line in self._before.log:
            self._accept_line(line)

    @property
    def next_look(self) -> float:
        """When to `look` at it, on the monotonic clock."""
        if self._ends_by is not None:
            return self._ends_by
        return min(self._deadline, self._cpu_look)

    def look(self, now: float) -> None:
        """Kill it when its time is over, be it the clock's or that of computing."""
        if now >= self._deadline:
            self.kill("wall")
        elif now >= self._cpu_look:
            used, base = self.child.cpu_us(), self._base
            # It can't have used more than has passed, so looking from time to time is enough.
            left = self._cpu_ms / 1000
            if used is not None and base is not None:
                left -= (used - base.cpu_us) / 1e6
                self._seen = Usage(used, 0)
            self._cpu_look = now + max(left, _SHORTEST_LOOK_SECONDS)
            if left <= 0:
                self.kill("cpu")

    @property
    def is_silent(self) -> bool:
        """Nothing more will come; to go on polling the pipe would be to spin."""
        return self._silent

    @property
    def is_ending(self) -> bool:
        """It has ended, or must at once, so whoever forked it can tell how."""
        must = self.is_killed and self.child.process is not None
        return (self._silent or must) and not self.is_over

    @property
    def is_killed(self) -> bool:
        """Or will be, once it is known whom to kill."""
        return self._killed_for is not None

    def is_overdue(self, now: float) -> bool:
        """The news of its end should have come long ago."""
        return self._ends_by is not None and now >= self._ends_by

    @property
    def is_over(self) -> bool:
        """There is nothing more to wait for: its result has come, or the news of its end."""
        return self._finished is not None or (
            self._result is not None and self._killed_for is None and not self._hostile
        )

    @property
    def loading(self) -> Loading | None:
        """What loading all of its modules took, once it is done."""
        if self._loaded_with is None or self._base is None:
            return None
        used = self._spent(self._loaded_with)
        return Loading(tuple(self._log), used, self._loaded_after)

    def send(self) -> SandboxBroken | None:
        """Hand the program over; tells if the child isn't there to take it."""
        codes = [self._codes.get(module) for module in self._modules]
        if None in codes and self._modules is self.program.modules:
            self._awaited = codes.index(None)
        content = protocol.encode_program(self.program, self._token, codes)
        try:
            # It reads nothing else before it has read all of this.
            self.child.send(content, _SEND_SECONDS)
        except OSError as error:
            self.kill("unreachable")
            return SandboxBroken(f"a child did not take its program: {error}")
        self._began = time.monotonic()
        self._cpu_look = self._began + self._cpu_ms / 1000
        wall_seconds = self.program.limits.wall_ms / 1000 - self._before.wall_seconds
        self._deadline = self._began + wall_seconds
        return None

    def kill(self, reason: str) -> None:
        """Kill the child; only the first reason counts."""
        if self._killed_for is None:
            self._killed_for = reason
            self.child.kill()
            self._await_end()

    def _await_end(self) -> None:
        if self._ends_by is None:
            now = time.monotonic()
            self._ends_by = now + _END_SECONDS
            if self._result is None:
                self._ended = now

    def receive(self) -> list[LogLine]:
        """Take a piece of what is there; gives the new lines."""
        self._take()
        return self._new_lines()

    def _new_lines(self) -> list[LogLine]:
        lines = self._log[self._told :]
        self._told += len(lines)
        return lines

    def _take(self) -> bool:
        """Whether there was anything, be it its end."""
        try:
            received = self.child.receive()
            for kind, body in self._reader.feed(received):
                self._accept(kind, body)
            # What comes after its result, or from a killed one, is of no interest.
            over = self._killed_for is not None or self._result is not None
            self._silent = over or not received
            if self._result is not None:
                self._reader.expect_nothing()
        except BlockingIOError:
            return False
        except Hostile as hostile:
            self._hostile = self._hostile or str(hostile)
            self._silent = True
            self.kill("hostile")
        except ConnectionError:
            self._silent = True
        if self._silent:
            self._await_end()
            if self._result is None:
                # Whoever closes its pipe is about to end; one that isn't would keep us waiting.
                self.child.kill()
        return True

    def _accept(self, kind: Kind, body: bytes) -> None:
        if self._killed_for == "output":
            return
        if self._result is not None:
            raise Hostile("something came after the result")
        if kind < Kind.LINE:
            self._accept_before_start(kind, body)
            return
        if not self._started:
            raise Hostile("something came before the start")
        match kind:
            case Kind.LINE:
                self._accept_line(protocol.decode_line(body))
            case Kind.LOADED:
                if self._loaded_with is not None:
                    raise Hostile("a module loads once")
                self._loaded_with = protocol.decode_usage(body)
                self._loaded_after = time.monotonic() - self._began
            case Kind.CASE:
                self._cases.append(protocol.decode_case(body))
                protocol.check_case_count(len(self._cases))
            case Kind.RESULT:
                self._result = protocol.decode_result(
                    body, self._token, {module.name for module in self.program.modules}
                )
                self._ended = time.monotonic()

    def _accept_before_start(self, kind: Kind, body: bytes) -> None:
        """Up to here no user code has run in the child, so what it says is true."""
        if self._started or (self._base is None and kind is not Kind.READY):
            raise Hostile("a run starts once, and in order")
        if kind is Kind.COMPILED:
            place, code = protocol.decode_compiled(body)
            if place != self._awaited:
                raise Hostile("code that nobody waits for")
            self._awaited = None
            self._codes.put(self._modules[place], code)
            return
        self._base = protocol.decode_usage(body)
        self._started = kind is Kind.STARTED

    def _accept_line(self, line: LogLine) -> None:
        limits = self.program.limits
        self._output_bytes += len(line.text.encode()) + 1
        many = len(self._log) >= limits.output_lines
        if not many and self._output_bytes <= limits.output_bytes:
            self._log.append(line)
            return
        most = f"{limits.output_lines:,} lines" if many else f"{limits.output_bytes:,} bytes"
        self._log.append(LogLine(line.ms, "sys", f"output cut off: {most} are allowed"))
        self._wrote_more_than = most
        self.kill("output")

    def finish(self, status: int | None, used: Usage) -> list[LogLine]:
        """The child has been reaped, or nobody can tell: no status; gives the last lines."""
        # It has ended, so this comes to an end: all that is left is in the pipe.
        while not self._silent and self._take():
            pass
        self._finished = (status, self._seen if status is None else used)
        self._await_end()
        return self._new_lines()

    def conclude(self) -> Outcome | Cancelled | SandboxBroken:
        """What came of it, once it is over."""
        # There is nothing left that it might do.
        self.child.kill()
        if self._killed_for == "cancelled":
            return Cancelled()
        status, used = self._finished or (0, _NOTHING)
        if self._base is None:
            return SandboxBroken(f"a child ended before it was ready ({described(status)})")
        if self._result is not None:
            used = self._result.used
        # It may have told us itself, so it is held to what is possible.
        spent = self._spent(used)
        wall_us = round((self._ended - self._began + self._before.wall_seconds) * 1e6)
        cpu_us = min(spent.cpu_us, wall_us)
        judged = self._judge(status, cpu_us)
        if isinstance(judged, SandboxBroken):
            return judged
        return Outcome(
            verdict=judged.verdict,
            message=judged.message,
            module=judged.module,
            line=judged.line,
            trace=judged.trace,
            log=tuple(self._log),
            truncated=self._killed_for == "output",
            cases=tuple(self._cases),
            cpu_us=cpu_us,
            wall_us=wall_us,
            peak_bytes=min(spent.resident_bytes, self.program.limits.memory_bytes),
            value=judged.value,
            loaded=self._loaded_with is not None,
        )

    def _spent(self, used: Usage) -> Usage:
        """What the program itself has used, of all that its process has."""
        base = self._base or used
        cpu_us = max(used.cpu_us - base.cpu_us, 0) + self._before.used.cpu_us
        resident_bytes = max(used.resident_bytes - base.resident_bytes, 0)
        return Usage(cpu_us, resident_bytes + self._before.used.resident_bytes)

    def _judge(  # noqa: PLR0911 - a list of ways to end
        self, status: int | None, cpu_us: int
    ) -> Result | SandboxBroken:
        limits = self.program.limits
        if self._hostile:
            return Result(Verdict.CRASHED, f"sent what no program can send: {self._hostile}")
        if self._killed_for == "output":
            message = f"wrote more than {self._wrote_more_than}: print less, or only what matters"
            return Result(Verdict.OUTPUT_LIMIT, message)
        if self._result is not None:
            return self._result
        if self._killed_for == "wall":
            ran = f"ran for {limits.wall_ms / 1000:g} s, of which it computed {cpu_us / 1e6:.1f} s"
            message = f"{ran}; no longer is allowed: does it wait for something?"
            return Result(Verdict.TIME_LIMIT, message)
        if self._killed_for == "cpu":
            ran = f"computed for {cpu_us / 1e6:.2f} s; {limits.cpu_ms / 1000:g} s are allowed"
            return Result(Verdict.TIME_LIMIT, f"{ran}: is there a loop that never ends?")
        if status is None:
            return SandboxBroken("its zygote or parent ended amid a run")
        if os.WIFSIGNALED(status):
            return judge_signal(os.WTERMSIG(status))
        if os.WEXITSTATUS(status) == EXIT_NO_PROGRAM:
            return SandboxBroken(described(status))
        # It had its program by then: whatever made it fail came with that, and comes again.
        return Result(Verdict.CRASHED, "ended without a result")
