"""One run as its supervisor sees it: frames in, limits enforced from outside, an outcome out."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import time

from runner.sandbox import protocol
from runner.sandbox.child import EXIT_NO_PROGRAM, EXIT_UNCONFINED
from runner.sandbox.programs import (
    Cancelled,
    Case,
    LogLine,
    Outcome,
    Program,
    SandboxBroken,
    Verdict,
)
from runner.sandbox.protocol import Hostile, Kind, Result, Started

_SEND_SECONDS = 10.0
# So that one that never stops writing keeps nobody else waiting.
_PIECES_AT_ONCE = 8


class Child:
    """A process that waits for its program: the other end of its pipe, and a handle to kill it."""

    def __init__(self, ident: int, pipe: socket.socket) -> None:
        self.ident = ident
        self.pipe = pipe
        self.process: int | None = None

    def kill(self) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.process, signal.SIGKILL)

    def close(self) -> None:
        self.pipe.close()
        if self.process is not None:
            os.close(self.process)
            self.process = None


class Run:
    """One program in one child, from sending it to its outcome."""

    def __init__(self, program: Program, child: Child) -> None:
        self.child = child
        self._program = program
        self._token = secrets.token_bytes(protocol.TOKEN_BYTES)
        self._modules = {module.name for module in program.modules}
        self._reader = protocol.FrameReader()
        self._began = time.monotonic()
        self._ended = self._began
        self._started: Started | None = None
        self._result: Result | None = None
        self._loaded = False
        self._cases: list[Case] = []
        self._log: list[LogLine] = []
        self._output_bytes = 0
        self._killed_for: str | None = None
        self._hostile = ""
        self._silent = False
        self._nothing_there = False
        self._finished: tuple[int, int, int] | None = None

    @property
    def deadline(self) -> float:
        """On the monotonic clock; past it the child is killed."""
        return self._began + self._program.limits.wall_ms / 1000

    @property
    def is_silent(self) -> bool:
        """Nothing more will come; to go on polling the pipe would be to spin."""
        return self._silent

    def send(self) -> None:
        """Hand the program over. The child runs nothing yet, so it can't keep us waiting."""
        payload = protocol.encode_program(self._program, self._token)
        self.child.pipe.settimeout(_SEND_SECONDS)
        try:
            self.child.pipe.sendall(payload)
        except OSError as error:
            self.kill("broken")
            raise SandboxBroken(f"a child did not take its program: {error}") from error
        self.child.pipe.setblocking(False)
        self._began = time.monotonic()

    def kill(self, reason: str) -> None:
        """Kill the child; only the first reason counts."""
        if self._killed_for is None:
            self._killed_for = reason
            self.child.kill()

    def expire(self) -> None:
        self.kill("wall")

    def receive(self) -> list[LogLine]:
        """Take what is there; gives the new lines."""
        known = len(self._log)
        self._nothing_there = False
        try:
            for _ in range(_PIECES_AT_ONCE):
                if self._silent:
                    break
                received = self.child.pipe.recv(262_144)
                for kind, body in self._reader.feed(received):
                    self._accept(kind, body)
                # What a killed one has still written is of no interest.
                self._silent = not received or self._killed_for is not None
        except BlockingIOError:
            self._nothing_there = True
        except Hostile as hostile:
            self._hostile = self._hostile or str(hostile)
            self._silent = True
            self.kill("hostile")
        except ConnectionError:
            self._silent = True
        return self._log[known:]

    def _accept(self, kind: Kind, body: bytes) -> None:
        if self._killed_for == "output":
            return
        if self._result is not None:
            raise Hostile("something came after the result")
        if (self._started is None) != (kind is Kind.STARTED):
            raise Hostile("a run starts once, and first")
        match kind:
            case Kind.STARTED:
                self._started = protocol.decode_started(body)
            case Kind.LINE:
                self._accept_line(protocol.decode_line(body))
            case Kind.LOADED:
                if self._loaded:
                    raise Hostile("a module loads once")
                self._loaded = True
            case Kind.CASE:
                self._cases.append(protocol.decode_case(body))
                protocol.check_case_count(len(self._cases))
            case Kind.RESULT:
                self._result = protocol.decode_result(body, self._token, self._modules)
                self._ended = time.monotonic()

    def _accept_line(self, line: LogLine) -> None:
        limits = self._program.limits
        self._output_bytes += len(line.text.encode()) + 1
        many = len(self._log) >= limits.output_lines
        if not many and self._output_bytes <= limits.output_bytes:
            self._log.append(line)
            return
        allowed = f"{limits.output_lines} lines" if many else f"{limits.output_bytes} bytes"
        self._log.append(LogLine(line.ms, "sys", f"output cut off: {allowed} are allowed"))
        self.kill("output")

    def finish(self, status: int, cpu_us: int, peak_bytes: int) -> list[LogLine]:
        """The zygote has reaped the child; gives the last lines."""
        lines: list[LogLine] = []
        while not self._silent:
            # It has ended, so this comes to an end: all that is left is in the pipe.
            lines += self.receive()
            if self._nothing_there:
                break
        self._finished = (status, cpu_us, peak_bytes)
        if self._result is None:
            self._ended = time.monotonic()
        if self._result is not None and self._reader.has_rest():
            self._hostile = "something came after the result"
        return lines

    def conclude(self) -> Outcome | Cancelled | SandboxBroken:
        """What came of it, once finished."""
        if self._killed_for == "cancelled":
            return Cancelled()
        if self._finished is None:
            return SandboxBroken("the zygote ended amid a run")
        status, cpu_us, peak_bytes = self._finished
        started = self._started
        if started is None:
            return SandboxBroken(f"a child ended before it had started ({_ending(status)})")
        used_us = max(cpu_us - started.cpu_us, 0)
        judged = self._judge(status, used_us)
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
            cpu_us=used_us,
            wall_us=round((self._ended - self._began) * 1e6),
            peak_bytes=max(peak_bytes - started.resident_bytes, 0),
            value=judged.value,
            loaded=self._loaded,
        )

    def _judge(self, status: int, cpu_us: int) -> Result | SandboxBroken:
        limits = self._program.limits
        if self._hostile:
            return _verdict(Verdict.CRASHED, f"sent what no program can send: {self._hostile}")
        if self._result is not None and status == 0:
            return self._result
        if self._killed_for == "output":
            return _verdict(Verdict.OUTPUT_LIMIT, "wrote more than it may")
        if self._killed_for == "wall":
            used = f"({cpu_us / 1e6:.1f} s of them computing)"
            ran = f"ran for {limits.wall_ms / 1000:g} s {used}, no longer is allowed"
            return _verdict(Verdict.TIME_LIMIT, ran)
        if os.WIFSIGNALED(status):
            return self._judge_signal(os.WTERMSIG(status), cpu_us)
        # It had its program by then: whatever made it fail came with that, and comes again.
        return _verdict(Verdict.CRASHED, "ended without a result")

    def _judge_signal(self, number: int, cpu_us: int) -> Result | SandboxBroken:
        name = _signal_name(number)
        match number:
            case signal.SIGPROF | signal.SIGXCPU:
                allowed = self._program.limits.cpu_ms / 1000
                message = f"computed for {cpu_us / 1e6:.2f} s, {allowed:g} s are allowed"
                return _verdict(Verdict.TIME_LIMIT, message)
            case signal.SIGSYS:
                return _verdict(Verdict.POLICY, "made a system call that only an attack makes")
            case signal.SIGKILL:
                # Not by us, and no program can: somebody did it, or memory ran out for everyone.
                return SandboxBroken("a child was killed from outside")
            case signal.SIGSEGV:
                name += ", most likely by recursing too deeply"
        return _verdict(Verdict.CRASHED, f"took its process down ({name})")


def _verdict(verdict: Verdict, message: str) -> Result:
    return Result(verdict, message, None, None, (), None)


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return _signal_name(os.WTERMSIG(status))
    code = os.WEXITSTATUS(status)
    known = {EXIT_UNCONFINED: "it could not confine itself", EXIT_NO_PROGRAM: "it got no program"}
    return known.get(code, f"exit code {code}")
