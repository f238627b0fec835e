"""Children forked ahead: a zygote, those who wait for a program, and news of those who ended."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections import deque
from dataclasses import dataclass

from runner.sandbox.handles import Child, receive_handles, send_handles
from runner.sandbox.jail.confinement import Layers
from runner.sandbox.launching import Zygote, launch
from runner.sandbox.messages import (
    ENDED,
    ENDING,
    LONGEST_ANSWER,
    MOST_AT_ONCE,
    SPAWN,
    SPAWNED_SOME,
)
from runner.sandbox.programs import SandboxBroken
from runner.sandbox.protocol import IDLE, Usage

_SPAWN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Ending:
    """What the zygote says of a child that it has reaped; no status where it ended before that."""

    ident: int
    status: int | None
    used: Usage


class Nursery:
    """Keeps up to `ahead` children ready; starts another zygote when the last one has ended.

    It asks for several at once when half of them are used up, which is cheaper than one by one.
    """

    def __init__(self, ahead: int, run: str = "") -> None:
        self._ahead = min(ahead, MOST_AT_ONCE)
        self._run = run
        self._next_ident = 1
        self._ready: deque[Child] = deque()
        self._spawning: dict[int, Child] = {}
        # Of those, the ones that somebody has already.
        self._parents: dict[int, Child] = {}
        # One that waits, where one has been needed before.
        self._spare: Child | None = None
        self._needs_parents = False
        # Of these the end is waited for; that of all others is nobody's business.
        self._awaited: set[int] = set()
        self._endings: deque[Ending] = deque()
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

    def take(self) -> Child:
        """A child that waits for its program; raises SandboxBroken when there is none to be had."""
        try:
            child = self._take()
        except SandboxBroken:
            if self._zygote is not None:
                raise
            # It has just ended, or been given up, and another serves as well: nothing has begun.
            child = self._take()
        self._awaited.add(child.ident)
        return child

    def _take(self) -> Child:
        if self._zygote is None:
            self._zygote = launch(self._run)
        if not self._ready:
            self.replenish(is_idle=False)
        deadline = time.monotonic() + _SPAWN_SECONDS
        while not self._ready:
            if not self._spawning:
                raise SandboxBroken("the zygote could not fork")
            if not self._is_readable(deadline - time.monotonic()):
                self.drop()
                raise SandboxBroken("the zygote does not fork")
            self._receive()
        return self._ready.popleft()

    def ask_for_parent(self) -> Child | None:
        """One that will load modules and fork; it may be spoken to before it is there."""
        self._needs_parents = True
        # Perhaps that the spare one has ended.
        self.catch_up()
        spare, self._spare = self._spare, None
        return spare or next(iter(self._spawn(1, is_parent=True)), None)

    def numbers(self, count: int) -> int:
        """The first of some that no other children have, for those that somebody else forks."""
        self._next_ident += count
        return self._next_ident - count

    def forget(self, child: Child) -> None:
        """Its run has been concluded; whatever becomes of it is of no interest any more."""
        self._awaited.discard(child.ident)
        child.close()

    def replenish(self, *, is_idle: bool) -> None:
        """Ask for as many children as are lacking, once it is worth it.

        Where nothing more is to be run for now, they may use the time to warm.
        """
        lacking = self._ahead - len(self._ready) - len(self._spawning) + len(self._parents)
        if 2 * lacking >= self._ahead:
            self.catch_up()
            self._spawn(lacking, is_idle=is_idle)

    def rest(self) -> None:
        """Nothing is to be run for now: let the waiting children use the time."""
        self.replenish(is_idle=True)
        if self._needs_parents and self._spare is None:
            self._spare = next(iter(self._spawn(1, is_parent=True, is_idle=True)), None)
        for child in (*self._ready, *self._spawning.values()):
            if not child.is_warm and child.ident not in self._parents:
                child.is_warm = True
                with contextlib.suppress(OSError):
                    child.pipe.send(IDLE)

    def endings(self) -> list[Ending]:
        """News of children that ended, by themselves or with their zygote."""
        self.catch_up()
        endings = list(self._endings)
        self._endings.clear()
        return endings

    def drop(self) -> None:
        """End the zygote, and with it every child."""
        for child in (*self._ready, *self._spawning.values()):
            child.close()
        if self._spare:
            self._spare.close()
            self._spare = None
        self._ready.clear()
        self._spawning.clear()
        self._parents.clear()
        # Nobody else will tell of these, least of all the next zygote.
        self._endings.extend(Ending(ident, None, Usage(0, 0)) for ident in self._awaited)
        self._awaited.clear()
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()

    def _is_readable(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        return bool(poll.poll(max(0.0, seconds) * 1000))

    def catch_up(self) -> None:
        """Hear what there is to hear."""
        # That there is no zygote is noticed by whoever waits for a child's end; the next one to
        # take starts another.
        with contextlib.suppress(SandboxBroken):
            while self._receive():
                pass

    def _spawn(self, count: int, *, is_parent: bool = False, is_idle: bool = False) -> list[Child]:
        if self._zygote is None:
            return []
        first = self._next_ident
        self._next_ident += count
        pairs = [socket.socketpair() for _ in range(count)]
        theirs = [pair[1] for pair in pairs]
        try:
            request = SPAWN.pack(first, is_parent, is_idle)
            send_handles(self._zygote.control, request, [pipe.fileno() for pipe in theirs])
        except OSError:
            # It has ended, which its next message that doesn't come will tell.
            for ours, _ in pairs:
                ours.close()
            return []
        finally:
            for pipe in theirs:
                pipe.close()
        spawned = [Child(ident, ours) for ident, (ours, _) in enumerate(pairs, first)]
        for child in spawned:
            child.is_warm = is_idle
        self._spawning.update((child.ident, child) for child in spawned)
        if is_parent:
            self._parents.update((child.ident, child) for child in spawned)
        return spawned

    def _receive(self) -> bool:
        """One message of the zygote's; false if there is none yet."""
        if self._zygote is None:
            raise SandboxBroken("the zygote has ended")
        try:
            message, handles = receive_handles(self._zygote.control, LONGEST_ANSWER, MOST_AT_ONCE)
        except BlockingIOError:
            return False
        except OSError:
            message, handles = b"", []
        if not message:
            self.drop()
            raise SandboxBroken("the zygote has ended")
        if message[0] == ENDED:
            for ident, status, *used in ENDING.iter_unpack(message[1:]):
                self._note_ending(Ending(ident, status, Usage(*used)))
            return True
        first, asked = SPAWNED_SOME.unpack_from(message, 1)
        for place, ident in enumerate(range(first, first + asked)):
            child = self._spawning.pop(ident)
            is_parent = self._parents.pop(ident, None) is not None
            if place >= len(handles):
                child.close()
            else:
                child.meet(handles[place])
                if not is_parent:
                    self._ready.append(child)
        return True

    def _note_ending(self, ending: Ending) -> None:
        for child in self._ready:
            if child.ident == ending.ident:
                self._ready.remove(child)
                child.close()
                return
        if self._spare and self._spare.ident == ending.ident:
            self._spare.close()
            self._spare = None
        if ending.ident in self._awaited:
            self._awaited.discard(ending.ident)
            self._endings.append(ending)
