"""Asks the callers, and waits for what they answer."""

import asyncio

from asgiref.sync import async_to_sync
from django.conf import settings

from runner.calls.messages import (
    CallersAway,
    CallRequest,
    read_answer,
    read_frame,
    request_content,
    write_frame,
)
from runner.sandbox import Outcome

# Longer than a call waits for its turn, and runs, together.
ANSWER_SECONDS = 15.0


def ask(request: CallRequest) -> Outcome:
    """Have the call run now, outside of any transaction; returns what came of it.

    Raises Busy, CallersAway, SourcesLacking, and as a pool does Refused and SandboxBroken. Where
    the request that it is for is given up by its client, the call is killed.
    """
    return async_to_sync(_ask)(request)


async def _ask(request: CallRequest) -> Outcome:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            reader, writer = await asyncio.open_unix_connection(settings.CALLERS_SOCKET)
            try:
                await write_frame(writer, request_content(request))
                content = await read_frame(reader)
            finally:
                # That is how they hear that nobody waits any more.
                writer.close()
                await writer.wait_closed()
    except (OSError, EOFError, TimeoutError) as error:
        raise CallersAway(repr(error)) from error
    return read_answer(content)
