"""Processes forked ahead: a zygote, those that wait for a program, and news of ended ones."""

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
    """What the zygote says of a process that it has reaped; no status where it ended first."""

    number: int
    status: int | None
    used: Usage


class Prefork:
    """Keeps up to `ahead` processes ready; starts another zygote when the last one has ended.

    It asks for several at once when half of them are used up, which is cheaper than one by one.
    `run` names what they are for ("package.module:name").
    """

    def __init__(self, ahead: int, run: str = ROLES) -> None:
        self._ahead = min(ahead, MOST_AT_ONCE)
        self._run = run
        self._next_number = 1
        # By their numbers, the oldest first.
        self._ready: dict[int, Process] = {}
        self._spawning: dict[int, Process] = {}
        # Of these the end is waited for; that of all others is nobody's business.
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
        """Whether one can be had without waiting."""
        return bool(self._ready)

    def fileno(self) -> int:
        """Readable when there is news; -1 while there is no zygote."""
        return self._zygote.control.fileno() if self._zygote else -1

    def take(self, count: int) -> list[Process]:
        """Return processes that wait for a program; raises SandboxBroken if they can't be had."""
        try:
            taken = self._take(count)
        except SandboxBroken:
            if self._zygote is not None:
                raise
            # It has just ended, or been given up, and another serves as well: nothing has begun.
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
        """Whatever becomes of it is of no interest any more."""
        self._awaited.discard(process.number)
        process.close()

    def replenish(self, *, is_idle: bool, least: int = 0) -> None:
        """Ask for as many processes as are lacking, once it is worth it.

        Where nothing more is to be run for now, they may use the time to warm.
        """
        lacking = max(self._ahead, least) - len(self._ready) - len(self._spawning)
        if 2 * lacking >= self._ahead or least:
            self.catch_up()
            self._spawn(min(lacking, MOST_AT_ONCE), is_idle=is_idle)

    def rest(self) -> None:
        """Nothing is to be run for now: let the waiting processes use the time."""
        self.replenish(is_idle=True)
        for process in (*self._ready.values(), *self._spawning.values()):
            if not process.is_warm:
                process.is_warm = True
                with contextlib.suppress(OSError):
                    process.pipe.send(IDLE)

    def endings(self) -> list[Ending]:
        """Return news of processes that ended, by themselves or with their zygote."""
        self.catch_up()
        endings, self._endings = self._endings, []
        return endings

    def drop(self) -> None:
        """End the zygote, and with it every process."""
        for waiting in (self._ready, self._spawning):
            for process in waiting.values():
                process.close()
            waiting.clear()
        # Nobody else will tell of these, least of all the next zygote.
        self._endings += (Ending(number, None, Usage(0, 0)) for number in self._awaited)
        self._awaited.clear()
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()

    def catch_up(self) -> None:
        """Hear what there is to hear."""
        # That there is no zygote is noticed by whoever waits for a process's end; the next one to
        # take starts another.
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
            # It has ended, which its next message that doesn't come will tell.
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
        """Take one message of the zygote's; false if there is none yet."""
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
        first, asked = SPAWNED_SOME.unpack_from(message, 1)
        for place, number in enumerate(range(first, first + asked)):
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
