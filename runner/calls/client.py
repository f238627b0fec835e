"""Sends calls to the call server and waits for their outcomes."""

import asyncio
import select
import socket

from asgiref.sync import async_to_sync
from django.conf import settings

from runner.calls.connections import borrow_connection, read_exactly
from runner.calls.frames import (
    HEADER,
    CallRequest,
    CallServerUnavailable,
    decode_answer,
    decode_body,
    encode_frame,
    encode_request,
    frame_length,
)
from runner.sandbox import Outcome

# Longer than the maximum of queueing and running together.
ANSWER_SECONDS = 15.0
# Disconnects of the HTTP client are noticed only after this time.
SHORT_MS = 100


def run_call(request: CallRequest) -> Outcome:
    """Run the call and return its outcome; must be called outside of transactions.

    Raises Busy, RateLimited, CallServerUnavailable and SourcesMissing, and Refused and
    SandboxBroken like a pool. The call is killed when the HTTP client disconnects.
    """
    try:
        with borrow_connection(settings.CALLERS_SOCKET) as connection:
            connection.settimeout(ANSWER_SECONDS)
            connection.sendall(encode_frame(encode_request(request)))
            _await_answer(connection)
            length = frame_length(read_exactly(connection, HEADER.size))
            content = decode_body(read_exactly(connection, length))
    except OSError as error:
        raise CallServerUnavailable(repr(error)) from error
    return decode_answer(content)


def _await_answer(connection: socket.socket) -> None:
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    if not poll.poll(SHORT_MS):
        # On the event loop, because there the wait is cancelled when the client disconnects.
        async_to_sync(_becomes_readable)(connection)


async def _becomes_readable(connection: socket.socket) -> None:
    loop, readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(connection, readable.set)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await readable.wait()
    finally:
        loop.remove_reader(connection)
