"""Prefork: a zygote, its processes that wait for a program, and reports of ended processes."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import NamedTuple

from runner.sandbox.jail.confinement import Layers
from runner.sandbox.programs import SandboxBroken
from runner.sandbox.supervisor.launcher import ROLES, Zygote, launch
from runner.sandbox.supervisor.messages import (
    ENDED,
    ENDING,
    LONGEST_ANSWER,
    MOST_AT_ONCE,
    SPAWN,
    SPAWNED_SOME,
)
from runner.sandbox.supervisor.process import Process, is_readable, receive_handles, send_handles
from runner.sandbox.supervisor.protocol import IDLE, Usage

_SPAWN_SECONDS = 10.0


class Ending(NamedTuple):
    """The end of a process; the status is None if its zygote ended first."""

    number: int
    status: int | None
    used: Usage


class Prefork:
    """Keeps up to `ahead` processes ready; starts another zygote when the last one has ended.

    It requests several when half of them are used, which is cheaper than one by one. `run` names
    the entry of the processes ("package.module:name").
    """

    def __init__(self, ahead: int, run: str = ROLES) -> None:
        self._ahead = min(ahead, MOST_AT_ONCE)
        self._run = run
        self._next_number = 1
        # By number, the oldest first.
        self._ready: dict[int, Process] = {}
        self._spawning: dict[int, Process] = {}
        # Taken processes, whose ends are to be reported.
        self._awaited: set[int] = set()
        self._endings: list[Ending] = []
        self._zygote: Zygote | None = launch(run)
        self.replenish(is_idle=True)

    @property
    def layers(self) -> Layers | None:
        return self._zygote.layers if self._zygote else None

    @property
    def zygote_pid(self) -> int | None:
        return self._zygote.pid if self._zygote else None

    @property
    def has_ready(self) -> bool:
        """Whether a process can be taken without waiting."""
        return bool(self._ready)

    def fileno(self) -> int:
        """Return a descriptor that is readable when the zygote has sent something; -1 if none."""
        return self._zygote.control.fileno() if self._zygote else -1

    def take(self, count: int) -> list[Process]:
        """Return processes that wait for a program; raises SandboxBroken if forking fails."""
        try:
            taken = self._take(count)
        except SandboxBroken:
            if self._zygote is not None:
                raise
            # The zygote has just ended or been dropped. Nothing has begun, so try a new one.
            taken = self._take(count)
        self._awaited.update(process.number for process in taken)
        return taken

    def _take(self, count: int) -> list[Process]:
        if self._zygote is None:
            self._zygote = launch(self._run)
        if len(self._ready) < count:
            self.replenish(is_idle=False, least=count)
        deadline = time.monotonic() + _SPAWN_SECONDS
        while len(self._ready) < count:
            if not self._spawning:
                raise SandboxBroken("the zygote could not fork")
            if not is_readable(self.fileno(), deadline - time.monotonic()):
                self.drop()
                raise SandboxBroken("the zygote does not fork")
            self._receive()
        return [self._ready.pop(next(iter(self._ready))) for _ in range(count)]

    def forget(self, process: Process) -> None:
        """Close the process's handles; its end is not reported any more."""
        self._awaited.discard(process.number)
        process.close()

    def replenish(self, *, is_idle: bool, least: int = 0) -> None:
        """Request the missing processes, once they are half of all or `least` are needed.

        If the pool is idle, they use the time to warm up.
        """
        missing = max(self._ahead, least) - len(self._ready) - len(self._spawning)
        if 2 * missing >= self._ahead or least:
            self.catch_up()
            self._spawn(min(missing, MOST_AT_ONCE), is_idle=is_idle)

    def rest(self) -> None:
        """Let the waiting processes warm up, because the pool is idle."""
        self.replenish(is_idle=True)
        for process in (*self._ready.values(), *self._spawning.values()):
            if not process.is_warm:
                process.is_warm = True
                with contextlib.suppress(OSError):
                    process.pipe.send(IDLE)

    def endings(self) -> list[Ending]:
        """Return the ends of taken processes since the last call, also those with their zygote."""
        self.catch_up()
        endings, self._endings = self._endings, []
        return endings

    def drop(self) -> None:
        """End the zygote and all its processes."""
        for waiting in (self._ready, self._spawning):
            for process in waiting.values():
                process.close()
            waiting.clear()
        # The next zygote doesn't know these processes, so report them here.
        self._endings += (Ending(number, None, Usage(0, 0)) for number in self._awaited)
        self._awaited.clear()
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()

    def catch_up(self) -> None:
        """Receive all messages that the zygote has sent."""
        # If the zygote has ended, `drop` has reported its processes; the next `take` starts one.
        with contextlib.suppress(SandboxBroken):
            while self._receive():
                pass

    def _spawn(self, count: int, *, is_idle: bool) -> None:
        if self._zygote is None or count < 1:
            return
        first = self._next_number
        self._next_number += count
        pairs = [socket.socketpair() for _ in range(count)]
        handles = [theirs.fileno() for _, theirs in pairs]
        try:
            send_handles(self._zygote.control, SPAWN.pack(first, is_idle), handles)
        except OSError:
            # The zygote has ended, which is noticed when its messages are received.
            for ours, _ in pairs:
                ours.close()
            return
        finally:
            for _, theirs in pairs:
                theirs.close()
        for number, (ours, _) in enumerate(pairs, first):
            self._spawning[number] = process = Process(number, ours)
            process.is_warm = is_idle

    def _receive(self) -> bool:
        """Receive one message of the zygote; false if there is none yet."""
        if self._zygote is None:
            raise SandboxBroken("the zygote has ended")
        try:
            message, handles = receive_handles(self._zygote.control, LONGEST_ANSWER, MOST_AT_ONCE)
        except BlockingIOError:
            return False
        except OSError:
            message = b""
        if not message:
            self.drop()
            raise SandboxBroken("the zygote has ended")
        if message[0] == ENDED:
            for number, status, *used in ENDING.iter_unpack(message[1:]):
                self._note_ending(Ending(number, status, Usage(*used)))
            return True
        first, requested = SPAWNED_SOME.unpack_from(message, 1)
        for place, number in enumerate(range(first, first + requested)):
            process = self._spawning.pop(number)
            if place < len(handles):
                process.handle = handles[place]
                self._ready[number] = process
            else:
                process.close()
        return True

    def _note_ending(self, ending: Ending) -> None:
        if waiting := self._ready.pop(ending.number, None):
            waiting.close()
        elif ending.number in self._awaited:
            self._awaited.discard(ending.number)
            self._endings.append(ending)
