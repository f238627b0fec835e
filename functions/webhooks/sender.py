"""The sender: a thread of each worker that sends what is due, several deliveries at once.

A delivery is claimed with a lease and sent outside of any transaction; then the answer is recorded.
Whoever dies in between leaves the lease, after which it is sent again, with the same id.
"""

import asyncio
import logging
import ssl
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.conf import settings
from django.db import connection

from functions.webhooks.deliveries import (
    Claim,
    claim_deliveries,
    record_answer,
    record_unwanted,
    release,
)
from functions.webhooks.requests import Answer, Resolver, post, resolve
from functions.webhooks.signatures import sign

log = logging.getLogger(__name__)

MAX_AT_ONCE = 16
# Of these, the most that webhooks get whose deliveries have been failing.
MAX_FAILING_AT_ONCE = 6
POLL_SECONDS = 0.5
# Requests that are under way may take this long when the worker stops.
STOP_GRACE_SECONDS = 3.0
PAUSE_AFTER_ERROR_SECONDS = 5.0

_Result = TypeVar("_Result")


class Sender:
    """Sends due deliveries until it is closed."""

    def __init__(
        self, *, resolver: Resolver = resolve, context: ssl.SSLContext | None = None
    ) -> None:
        self._resolver = resolver
        self._context = context
        self._stopping = threading.Event()
        self._under_way: dict[asyncio.Task[None], Claim] = {}
        # All statements are executed by one thread, with its own connection.
        self._database = ThreadPoolExecutor(1, "webhooks-database")
        self._thread = threading.Thread(target=self._work, name="webhooks", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Claim nothing more. Idempotent."""
        self._stopping.set()

    def close(self) -> None:
        """Stop, wait a moment for answers, and give back what has none yet."""
        self.stop()
        self._thread.join(2 * STOP_GRACE_SECONDS)

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                asyncio.run(self._serve())
            except Exception:
                log.exception("sending webhooks failed; what was under way is sent again")
                self._under_way.clear()
                self._stopping.wait(PAUSE_AFTER_ERROR_SECONDS)
        self._database.submit(lambda: connection.close())  # noqa: PLW0108 - of that thread
        self._database.shutdown()

    async def _serve(self) -> None:
        while not self._stopping.is_set():
            for claim in await self._claim():
                task = asyncio.create_task(self._deliver(claim))
                self._under_way[task] = claim
            await self._wait()
        await self._end()

    async def _claim(self) -> list[Claim]:
        free = MAX_AT_ONCE - len(self._under_way)
        failing = sum(claim.is_failing for claim in self._under_way.values())
        if free <= 0:
            return []
        most_failing = max(0, MAX_FAILING_AT_ONCE - failing)
        found = await self._in_database(lambda: claim_deliveries(free, most_failing=most_failing))
        return found or []

    async def _wait(self) -> None:
        """Wait until a request ends, or for POLL_SECONDS."""
        if self._under_way:
            waiting = set(self._under_way)
            done, _ = await asyncio.wait(
                waiting, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                del self._under_way[task]
        else:
            await asyncio.sleep(POLL_SECONDS)

    async def _deliver(self, claim: Claim) -> None:
        """Send a delivery and record the answer."""
        if not claim.is_wanted:
            await self._in_database(lambda: record_unwanted(claim))
            return
        try:
            answer = await self._send(claim)
        except asyncio.CancelledError:
            await self._in_database(lambda: release(claim))
            raise
        except Exception as fault:
            log.exception("webhook %s: sending failed", claim.webhook_id)
            answer = Answer(error=f"{type(fault).__name__}, an error of ours")
        await self._in_database(lambda: record_answer(claim, answer))

    async def _send(self, claim: Claim) -> Answer:
        body = claim.body
        timestamp = int(time.time())
        secrets = [claim.secret, *filter(None, [claim.former_secret])]
        headers = {
            "content-type": "application/json",
            "user-agent": f"SocialCode-Webhook ({settings.PUBLIC_URL})",
            "webhook-id": str(claim.uuid),
            "webhook-timestamp": str(timestamp),
            "webhook-event": claim.event,
            "webhook-attempt": str(claim.attempts),
            "webhook-signature": sign(
                secrets, identifier=str(claim.uuid), timestamp=timestamp, body=body
            ),
        }
        return await post(claim.url, body, headers, resolver=self._resolver, context=self._context)

    async def _end(self) -> None:
        """Wait for requests that are under way; give the others back."""
        if not self._under_way:
            return
        _, late = await asyncio.wait(set(self._under_way), timeout=STOP_GRACE_SECONDS)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)

    async def _in_database(self, act: Callable[[], _Result]) -> _Result | None:
        """Do this in the thread of the database; None if it failed, as what it does is repeated.

        A claim is made again, and an answer that was not recorded is asked for again when its lease
        has ended.
        """

        def run() -> _Result | None:
            try:
                return act()
            except Exception as error:  # noqa: BLE001 - logged, and repeated as said above
                log.warning("webhooks: the database refused: %s", error)
                connection.close()
                return None

        return await asyncio.get_running_loop().run_in_executor(self._database, run)
