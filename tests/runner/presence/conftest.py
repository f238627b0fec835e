"""What these tests share: a server of real sockets, and topics that anyone may follow."""

from tests.support.sockets.server import server, topic_kinds

__all__ = ["server", "topic_kinds"]
