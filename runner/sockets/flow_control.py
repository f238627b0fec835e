"""PURE: how much of a topic may be on its way to one client, and since when it is waited for."""

from collections import deque
from typing import NamedTuple

from runner.sockets.frames import Code, ProtocolError

WINDOW_EVENTS = 256
WINDOW_CHARACTERS = 1_000_000
RESEND_SECONDS = 30.0  # without an ack, or without the socket taking a frame
MAX_RESENDS = 5
FRAME_EVENTS = 128  # half a window, so that the next is on its way while one is acknowledged
FRAME_CHARACTERS = 256_000


class Frame(NamedTuple):
    """Consecutive events, ready to send, up to `last`."""

    text: str
    last: int


class Window:
    """What has been sent of one topic on one connection, and what of it was acknowledged."""

    def __init__(self, after: int, *, ackable: int = 0) -> None:
        self.sent = self.acked = after
        # What was sent before the topic was last asked for may yet be acknowledged.
        self.ackable = max(after, ackable)
        self.waiting_since = 0.0  # on the caller's clock: the last progress, where acks are due
        self.resends = 0  # since the last progress
        self._frames: deque[tuple[int, int]] = deque()  # on their way: (last sequence, characters)
        self._characters = 0

    @property
    def is_waiting(self) -> bool:
        """Whether acks are due."""
        return self.sent > self.acked

    @property
    def has_room(self) -> bool:
        """Whether another frame may be sent, be it as large as frames are made.

        An event that is larger than that comes in a frame of its own, and fills any window.
        """
        return not self.is_waiting or (
            self.sent - self.acked + FRAME_EVENTS <= WINDOW_EVENTS
            and self._characters + FRAME_CHARACTERS <= WINDOW_CHARACTERS
        )

    def add(self, frame: Frame, now: float) -> None:
        """Count what is about to be sent."""
        if not self.is_waiting:
            self.waiting_since = now
        self.sent = frame.last
        self.ackable = max(self.ackable, self.sent)
        self._frames.append((frame.last, len(frame.text)))
        self._characters += len(frame.text)

    def acknowledge(self, seq: int, now: float) -> bool:
        """Take an ack and say whether that made room; raises ProtocolError if it can't be right."""
        if seq > self.ackable:
            raise ProtocolError(Code.ACK_BEYOND_SENT, f"sent was up to {self.ackable}, not {seq}")
        seq = min(seq, self.sent)  # what was asked for again is sent again, whatever came before
        if seq <= self.acked:
            return False
        had_room = self.has_room
        self.acked = seq
        self.waiting_since, self.resends = now, 0
        while self._frames and self._frames[0][0] <= seq:
            self._characters -= self._frames.popleft()[1]
        return not had_room and self.has_room

    def is_overdue(self, now: float, drained_at: float) -> bool:
        """Say whether acks have not come for long, though what was sent had drained by then."""
        waits_since = max(self.waiting_since, drained_at)
        return self.is_waiting and now - waits_since >= RESEND_SECONDS

    def rewind(self, now: float) -> None:
        """Have all that was not acknowledged sent again; raises ProtocolError when that is vain."""
        if self.resends >= MAX_RESENDS:
            raise ProtocolError(Code.PRESUMED_GONE, f"sent {MAX_RESENDS} times more without an ack")
        self.sent = self.acked
        self.waiting_since = now
        self.resends += 1
        self._frames.clear()
        self._characters = 0
