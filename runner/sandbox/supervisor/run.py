"""One run: sends the program, enforces limits from outside, collects frames, judges the outcome."""

from __future__ import annotations

import dataclasses
import math
import os
import secrets
import signal
import socket
import time
from collections.abc import Sequence

from runner.sandbox.programs import (
    Cancelled,
    Case,
    LogLine,
    Outcome,
    Program,
    SandboxBroken,
    Verdict,
)
from runner.sandbox.supervisor import messages, protocol
from runner.sandbox.supervisor.member import CodeCache, Member
from runner.sandbox.supervisor.placement import Placement, content_of
from runner.sandbox.supervisor.process import Process, described, signal_name
from runner.sandbox.supervisor.protocol import Hostile, Kind, Role, Usage

# The longest time from killing a process, or the end of its pipe, until its end is reported.
_END_SECONDS = 10.0
_SHORTEST_LOOK_SECONDS = 0.002
# How long the judge may take to end after another process, so that its status is known.
_GRACE_SECONDS = 0.03


class Run:
    """The run of a program in a set of processes."""

    def __init__(
        self,
        program: Program,
        placements: Sequence[Placement],
        processes: Sequence[Process],
        codes: CodeCache,
    ) -> None:
        self.program = program
        self.members = [
            Member(placement.role, process, placement.modules, codes)
            for placement, process in zip(placements, processes, strict=True)
        ]
        self._placements = placements
        self._judge = self.members[0]
        self._measured = next((m for m in self.members if m.role is Role.SUBJECT), self._judge)
        self._token = secrets.token_bytes(protocol.TOKEN_BYTES)
        self._began = self._ended = time.monotonic()
        self._deadline = math.inf
        self._ends_by: float | None = None  # set when the processes are killed
        self._killed_for: str | None = None
        self._result: Outcome | None = None
        self._loaded = False
        self._cases: list[Case] = []
        self._log: list[LogLine] = []
        self._relayed = 0
        self._output_bytes = 0
        self._wrote_more_than = ""
        self._used: Usage | None = None

    # --- the beginning ----------------------------------------------------------------------------

    def send(self) -> None:
        """Send the program to the processes; raises SandboxBroken if one doesn't accept it."""
        self._began = time.monotonic()
        borders = [socket.socketpair() for _ in self.members[1:]]
        handles = [[ours.fileno() for ours, _ in borders], *([b.fileno()] for _, b in borders)]
        try:
            for place, (member, theirs) in enumerate(zip(self.members, handles, strict=True)):
                content = content_of(self.program, self._placements, place, member.known_codes())
                content["began"] = self._began
                content["token"] = self._token if member is self._judge else b""
                member.process.send(protocol.encode_content(content), theirs)
        except OSError as error:
            self.kill("unreachable")
            raise SandboxBroken(f"a process did not accept its program: {error}") from error
        finally:
            for pair in borders:
                for each in pair:
                    each.close()
        limits = self.program.limits
        for member in self.members:
            member.cpu_look = self._began + limits.cpu_ms / 1000
        self._deadline = self._began + limits.wall_ms / 1000

    # --- while it runs ----------------------------------------------------------------------------

    @property
    def next_look(self) -> float:
        """When to call `look`, on the monotonic clock."""
        if self._ends_by is not None:
            return self._ends_by
        return min(self._deadline, *(member.cpu_look for member in self.members))

    def look(self, now: float) -> None:
        """Kill the run if it has reached its wall-clock or CPU limit."""
        if now >= self._deadline:
            self.kill("wall")
            return
        for member in self.members:
            if now >= member.cpu_look:
                # The limit can't be reached before the time that is left has passed.
                left = self.program.limits.cpu_ms / 1000 - member.spent_cpu_us() / 1e6
                member.cpu_look = now + max(left, _SHORTEST_LOOK_SECONDS)
                if left <= 0:
                    member.is_over_cpu = True
                    self.kill("cpu")

    @property
    def is_ending(self) -> bool:
        """Whether a process has closed its pipe and its status is not known yet."""
        return not self.is_over and any(
            member.is_silent and member.status is None for member in self.members
        )

    def is_overdue(self, now: float) -> bool:
        """Whether the end of its processes should have been reported long ago."""
        return self._ends_by is not None and now >= self._ends_by

    @property
    def is_over(self) -> bool:
        """Whether `conclude` can be called."""
        if self._ends_by is not None:
            return all(member.is_over for member in self.members)
        return self._result is not None

    def kill(self, reason: str) -> None:
        """Kill all processes; only the first reason counts."""
        if self._killed_for is None:
            self._killed_for = reason
            self._end()

    def receive(self, member: Member) -> None:
        """Receive frames from a process."""
        self._take(member)
        if member is self._judge and self._result is not None:
            # Receive the rest from the other processes, and measure the subject.
            for other in self.members[1:]:
                self._take_all(other)
            if self._used is None:
                self._used = self._measured.spent()

    def finish(self, member: Member, status: int | None, used: Usage) -> None:
        """Handle the end of a process; the status is None if it is unknown."""
        # The process has ended, so the pipe holds all that is left.
        self._take_all(member)
        self._note_death(member)
        member.finish(status, used)

    def new_lines(self) -> list[LogLine]:
        """Return the lines of output since the last call."""
        lines = self._log[self._relayed :]
        self._relayed += len(lines)
        return lines

    def _note_death(self, member: Member) -> None:
        """Handle a process that has ended or closed its pipe before the run was over."""
        if self._ends_by is not None or member.has_died:
            return
        member.has_died = True
        # It may have ended because the judge has; or the judge is about to notice its end.
        if self._judge.process.ends_within(_GRACE_SECONDS):
            self._judge.has_died = self._result is None
        for other in self.members:
            self._take_all(other)
        self._end()

    def _end(self) -> None:
        """Kill all processes and wait for their ends."""
        for member in self.members:
            member.process.kill()
        if self._ends_by is None:
            self._ended = time.monotonic()
            self._ends_by = self._ended + _END_SECONDS

    def _take_all(self, member: Member) -> None:
        while not member.is_silent and self._take(member):
            pass

    def _take(self, member: Member) -> bool:
        """Receive frames from a process; false if there was nothing to read."""
        frames = member.receive()
        if frames is None:
            return False
        try:
            for kind, body in frames:
                self._accept(member, kind, body)
        except Hostile as hostile:
            member.hostile = member.hostile or str(hostile)
        if member.hostile:
            self.kill("hostile")
        elif member.is_silent and not member.has_result:
            self._note_death(member)
        return True

    def _accept(self, member: Member, kind: Kind, body: bytes) -> None:
        if self._killed_for == "output":
            return
        match kind:
            case Kind.LINE:
                self._accept_line(protocol.decode_line(body))
            case Kind.EXHAUSTED:
                member.is_exhausted = True
            case Kind.LOADED:
                self._loaded = True
            case Kind.CASE:
                self._cases.append(protocol.decode_case(body))
                if len(self._cases) > protocol.MOST_CASES:
                    raise Hostile("more cases than a test can have")
            case Kind.RESULT:
                known = {module.name for module in self.program.modules}
                self._result = protocol.decode_result(body, self._token, known)
                self._ended = time.monotonic()

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

    # --- the end ----------------------------------------------------------------------------------

    def conclude(self) -> Outcome | Cancelled | SandboxBroken:
        """Return the outcome, once the run is over."""
        for member in self.members:
            member.process.kill()
        if self._killed_for == "cancelled":
            return Cancelled()
        try:
            judged = self._judged()
        except SandboxBroken as broken:
            return broken
        spent = self._used or self._measured.spent()
        wall_us = round((self._ended - self._began) * 1e6)
        return dataclasses.replace(
            judged,
            # Sorted, because lines come over several pipes.
            log=tuple(sorted(self._log, key=lambda line: line.ms)),
            truncated=self._killed_for == "output",
            cases=tuple(self._cases),
            cpu_us=min(spent.cpu_us, wall_us * (os.cpu_count() or 1)),
            wall_us=wall_us,
            peak_bytes=min(spent.resident_bytes, self.program.limits.memory_bytes),
            loaded=self._loaded,
        )

    def _judged(self) -> Outcome:
        """Return the verdict: violations, limits and deaths of processes override the judge's.

        Raises SandboxBroken if the program can't be judged.
        """
        limits = self.program.limits
        if unready := [described(each.status) for each in self.members if not each.is_ready]:
            raise SandboxBroken(f"a process ended before it was ready ({unready[0]})")
        if violations := [each.hostile for each in self.members if each.hostile]:
            return Outcome(Verdict.CRASHED, f"sent what no program can send: {violations[0]}")
        if self._killed_for == "output":
            message = f"wrote more than {self._wrote_more_than}: print less, or only what matters"
            return Outcome(Verdict.OUTPUT_LIMIT, message)
        if self._killed_for == "wall":
            cpu_ms = sum(member.spent().cpu_us for member in self.members) / 1000
            ran = f"ran for {limits.wall_ms / 1000:g} s, with {cpu_ms / 1000:.1f} s of CPU time"
            message = f"{ran}; the limit for one run. Is it waiting for something?"
            return Outcome(Verdict.TIME_LIMIT, message)
        for member in reversed(self.members):
            if (ended := self._judged_by_end(member)) is not None:
                return self._blamed(member, ended)
        if self._result is not None:
            return self._result
        # The judge has ended because another process was killed, which is nobody's fault.
        has_left = self._judge.status == messages.EXIT_DONE << 8
        if has_left and any(member.status == signal.SIGKILL for member in self.members):
            raise SandboxBroken("a process was killed from outside")
        return Outcome(Verdict.CRASHED, "ended without a result")

    def _judged_by_end(self, member: Member) -> Outcome | None:
        """Return the outcome implied by how a process ended; None if it is not to blame.

        Raises SandboxBroken if the machinery is to blame.
        """
        limits = self.program.limits
        if member.is_exhausted:
            most = limits.memory_bytes / (1 << 20)
            message = f"needed more memory than the {most:.4g} MiB it may have"
            return Outcome(Verdict.MEMORY_LIMIT, message)
        if member.is_over_cpu:
            computed = member.spent().cpu_us / 1e6
            ran = f"computed for {computed:.2f} s; {limits.cpu_ms / 1000:g} s are allowed"
            return Outcome(Verdict.TIME_LIMIT, f"{ran}: is there a loop that never ends?")
        if not member.has_died and member.status in (None, signal.SIGKILL):
            return None
        if member.status is None:
            raise SandboxBroken("its zygote ended during a run")
        if os.WIFSIGNALED(member.status):
            return _judged_by_signal(os.WTERMSIG(member.status))
        match os.WEXITSTATUS(member.status):
            case messages.EXIT_DONE:
                return None
            case messages.EXIT_NO_PROGRAM:
                raise SandboxBroken(described(member.status))
        # The process had received its program, which is to blame and would fail again.
        return Outcome(Verdict.CRASHED, "ended without a result")

    def _blamed(self, member: Member, outcome: Outcome) -> Outcome:
        """Name the process in the message if it isn't the implementation's."""
        if member.role is Role.AIDE:
            names = ", ".join(module.name for module in member.modules)
            return Outcome(Verdict.ERROR, f"a dependency of the test ({names}): {outcome.message}")
        if member.role is Role.JUDGE and len(self.members) > 1:
            return Outcome(outcome.verdict, f"the test {outcome.message}")
        return outcome


def _judged_by_signal(number: int) -> Outcome:
    """Return the outcome if a signal has killed a process during its program."""
    name = signal_name(number)
    match number:
        case signal.SIGSYS:
            return Outcome(Verdict.POLICY, "made a system call that only an attack makes")
        case signal.SIGKILL:
            # Not by us, and no program can do it: so from outside, or by the kernel, out of memory.
            raise SandboxBroken("a child was killed from outside")
        case signal.SIGXCPU:
            # The kernel's limit; the supervisor has not looked for that long.
            return Outcome(Verdict.TIME_LIMIT, "computed for far longer than is allowed")
        case signal.SIGSEGV:
            name += ", most likely by recursing too deeply"
    return Outcome(Verdict.CRASHED, f"took its process down ({name})")
