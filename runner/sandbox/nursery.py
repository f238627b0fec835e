"""Children forked ahead: a zygote, those who wait for a program, and news of those who ended."""

from __future__ import annotations

import select
import socket
import time
from collections import deque
from dataclasses import dataclass

from runner.sandbox.confinement import Layers
from runner.sandbox.launching import Zygote, launch
from runner.sandbox.programs import SandboxBroken
from runner.sandbox.supervision import Child
from runner.sandbox.zygote import ENDED, EVENT, SPAWN, SPAWNED

_SPAWN_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Ending:
    """What the zygote says of a child that it has reaped; no status where it ended before that."""

    ident: int
    status: int | None
    cpu_us: int
    peak_bytes: int


class Nursery:
    """Keeps `ahead` children ready; starts another zygote when the last one has ended."""

    def __init__(self, ahead: int, run: str = "") -> None:
        self._ahead = ahead
        self._run = run
        self._last_ident = 0
        self._ready: deque[Child] = deque()
        self._spawning: dict[int, Child] = {}
        self._taken: set[int] = set()
        self._endings: deque[Ending] = deque()
        self._zygote: Zygote | None = launch(run)
        self.replenish()

    @property
    def layers(self) -> Layers | None:
        return self._zygote.layers if self._zygote else None

    @property
    def zygote_pid(self) -> int | None:
        return self._zygote.pid if self._zygote else None

    def fileno(self) -> int:
        """Readable when there is news; -1 while there is no zygote."""
        return self._zygote.control.fileno() if self._zygote else -1

    @property
    def has_endings(self) -> bool:
        """Whether there are some to be had without waiting for news."""
        return bool(self._endings)

    def take(self) -> Child:
        """A child that waits for its program; raises SandboxBroken when there is none to be had."""
        self._catch_up()
        try:
            child = self._take()
        except SandboxBroken:
            if self._zygote is not None:
                raise
            # It has ended in this moment, and another serves as well: nothing has begun.
            child = self._take()
        self._taken.add(child.ident)
        return child

    def _take(self) -> Child:
        if self._zygote is None:
            self._zygote = launch(self._run)
        self.replenish()
        deadline = time.monotonic() + _SPAWN_SECONDS
        while not self._ready:
            if not self._spawning:
                raise SandboxBroken("the zygote could not fork")
            if not self._is_readable(deadline - time.monotonic()):
                raise SandboxBroken("the zygote does not fork")
            self._receive()
        return self._ready.popleft()

    def replenish(self) -> None:
        """Ask for as many children as are lacking."""
        for _ in range(self._ahead - len(self._ready) - len(self._spawning)):
            if not self._spawn():
                return

    def endings(self) -> list[Ending]:
        """News of children that ended, by themselves or with their zygote."""
        self._catch_up()
        endings = list(self._endings)
        self._endings.clear()
        return endings

    def drop(self) -> None:
        """End the zygote, and with it every child."""
        for child in (*self._ready, *self._spawning.values()):
            child.close()
        self._ready.clear()
        self._spawning.clear()
        # Nobody else will tell of these, least of all the next zygote.
        self._endings.extend(Ending(ident, None, 0, 0) for ident in self._taken)
        self._taken.clear()
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()

    def _is_readable(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        return bool(poll.poll(max(0.0, seconds) * 1000))

    def _catch_up(self) -> None:
        try:
            while self._zygote is not None and self._is_readable(0):
                self._receive()
        except SandboxBroken:
            # Noticed by whoever waits for a child's end; the next one to take starts another.
            return

    def _spawn(self) -> bool:
        if self._zygote is None:
            return False
        ours, theirs = socket.socketpair()
        self._last_ident = (self._last_ident + 1) & 0xFFFFFFFF
        with theirs:
            try:
                request = SPAWN.pack(self._last_ident)
                socket.send_fds(self._zygote.control, [request], [theirs.fileno()])
            except OSError:
                # It has ended, which its next message that doesn't come will tell.
                ours.close()
                return False
        self._spawning[self._last_ident] = Child(self._last_ident, ours)
        return True

    def _receive(self) -> None:
        """One message of the zygote's."""
        if self._zygote is None:
            raise SandboxBroken("the zygote has ended")
        try:
            message, descriptors, _, _ = socket.recv_fds(self._zygote.control, 64, 1)
        except OSError:
            message, descriptors = b"", []
        if len(message) != EVENT.size:
            self.drop()
            raise SandboxBroken("the zygote has ended")
        event, ident, status, cpu_us, peak_bytes = EVENT.unpack(message)
        if event == ENDED:
            self._note_ending(Ending(ident, status, cpu_us, peak_bytes))
            return
        child = self._spawning.pop(ident)
        if event == SPAWNED:
            child.process = descriptors[0]
            self._ready.append(child)
        else:
            child.close()

    def _note_ending(self, ending: Ending) -> None:
        for child in self._ready:
            if child.ident == ending.ident:
                self._ready.remove(child)
                child.close()
                return
        self._taken.discard(ending.ident)
        self._endings.append(ending)
