"""Sends calls and programs to the call server, and waits for their outcomes."""

import asyncio
import select
import socket
from collections.abc import Mapping
from typing import Any

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
from runner.calls.program_frames import (
    ProgramsRequest,
    Run,
    decode_runs,
    encode_programs,
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
    return decode_answer(_exchange(encode_request(request), ANSWER_SECONDS))


def run_programs(request: ProgramsRequest) -> list[Run]:
    """Run the programs, in any order, and return what became of each; nothing is stored.

    As `run_call` otherwise. If the time is up, the rest is not run.
    """
    content = _exchange(encode_programs(request), request.seconds + ANSWER_SECONDS)
    return decode_runs(content)


def _exchange(content: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """Send a frame and return the content of the server's, which comes within `seconds`."""
    try:
        with borrow_connection(settings.CALLERS_SOCKET) as connection:
            connection.settimeout(seconds)
            connection.sendall(encode_frame(content))
            _await_answer(connection, seconds)
            length = frame_length(read_exactly(connection, HEADER.size))
            return decode_body(read_exactly(connection, length))
    except OSError as error:
        raise CallServerUnavailable(repr(error)) from error


def _await_answer(connection: socket.socket, seconds: float) -> None:
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    if not poll.poll(SHORT_MS):
        # On the event loop, because there the wait is cancelled when the client disconnects.
        async_to_sync(_becomes_readable)(connection, seconds)


async def _becomes_readable(connection: socket.socket, seconds: float) -> None:
    loop, readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(connection, readable.set)
    try:
        async with asyncio.timeout(seconds):
            await readable.wait()
    finally:
        loop.remove_reader(connection)
