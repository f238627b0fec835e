"""PURE: flow control: limits how much of a topic is sent without an acknowledgement."""

from collections import deque
from typing import NamedTuple

from runner.sockets.frames import Code, ProtocolError

WINDOW_EVENTS = 256
WINDOW_CHARACTERS = 1_000_000
RESEND_SECONDS = 30.0  # without an ack, or without the socket taking a frame
MAX_RESENDS = 5
FRAME_EVENTS = 128  # half a window: one frame is on its way while another is acknowledged
FRAME_CHARACTERS = 256_000


class Frame(NamedTuple):
    """An encoded frame of consecutive events up to `last`."""

    text: str
    last: int


class Window:
    """The window of one topic on one connection: the events sent and those acknowledged."""

    def __init__(self, after: int, *, ackable: int = 0) -> None:
        self.sent = self.acked = after
        # Frames sent before a resubscription may still be acknowledged.
        self.ackable = max(after, ackable)
        # The time of the last ack or of the first unacknowledged frame, on the caller's clock.
        self.waiting_since = 0.0
        self.resends = 0  # since the last ack
        # Unacknowledged frames: (last sequence, characters).
        self._frames: deque[tuple[int, int]] = deque()
        self._characters = 0

    @property
    def is_waiting(self) -> bool:
        """Whether acks are due."""
        return self.sent > self.acked

    @property
    def has_room(self) -> bool:
        """Whether another frame of up to FRAME_EVENTS and FRAME_CHARACTERS may be sent.

        A larger event is sent in a frame of its own, which may exceed the window.
        """
        return not self.is_waiting or (
            self.sent - self.acked + FRAME_EVENTS <= WINDOW_EVENTS
            and self._characters + FRAME_CHARACTERS <= WINDOW_CHARACTERS
        )

    def add(self, frame: Frame, now: float) -> None:
        """Count a frame that is about to be sent."""
        if not self.is_waiting:
            self.waiting_since = now
        self.sent = frame.last
        self.ackable = max(self.ackable, self.sent)
        self._frames.append((frame.last, len(frame.text)))
        self._characters += len(frame.text)

    def acknowledge(self, seq: int, now: float) -> bool:
        """Apply an ack; return whether it made room.

        Raises ProtocolError for a sequence that was never sent.
        """
        if seq > self.ackable:
            raise ProtocolError(Code.ACK_BEYOND_SENT, f"only up to {self.ackable} was sent")
        seq = min(seq, self.sent)  # after a resubscription everything is sent again
        if seq <= self.acked:
            return False
        had_room = self.has_room
        self.acked = seq
        self.waiting_since, self.resends = now, 0
        while self._frames and self._frames[0][0] <= seq:
            self._characters -= self._frames.popleft()[1]
        return not had_room and self.has_room

    def is_overdue(self, now: float, drained_at: float) -> bool:
        """Whether an ack has been missing for long, counted from when the socket drained."""
        waits_since = max(self.waiting_since, drained_at)
        return self.is_waiting and now - waits_since >= RESEND_SECONDS

    def rewind(self, now: float) -> None:
        """Send all unacknowledged events again; raises ProtocolError after too many attempts."""
        if self.resends >= MAX_RESENDS:
            raise ProtocolError(Code.PRESUMED_GONE, f"resent {MAX_RESENDS} times without an ack")
        self.sent = self.acked
        self.waiting_since = now
        self.resends += 1
        self._frames.clear()
        self._characters = 0
