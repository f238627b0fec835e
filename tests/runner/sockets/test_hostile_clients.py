"""Clients that mean harm: their memory is bounded, they are told why they go, and others go on."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from runner.sockets.client import StreamClient
from runner.sockets.topic_log import query
from tests.patience import PATIENCE_SECONDS
from tests.support.site import Site, url_of_test_database
from tests.support.sockets.event_log import write
from tests.support.sockets.raw_client import CONTINUATION, PING, TEXT, Raw, frame, subscribe, text
from tests.support.sockets.server import Address, Peer, signed_in

# In one process, as they share a server.
pytestmark = pytest.mark.xdist_group("hostile clients")

TOPIC = "open:shared"
SEATS = 30
RESEND_SECONDS = 1.0
ESTABLISHED, CLOSE_WAIT = "01", "08"
# Larger than what Python's allocator keeps, smaller than what any of these would fill.
FEW_MEGABYTES = 40 * 2**20


class StreamSite(Site):
    """A web server whose patience is short."""

    def _start(self, *words: str, log: str, pass_fds: tuple[int, ...] = ()) -> Popen[bytes]:
        here = [word.replace("socialcode.web", "tests.support.sockets.process") for word in words]
        return super()._start(*here, log=log, pass_fds=pass_fds)

    @property
    def address(self) -> Address:
        return Address(self.socket_url, self.url)

    @property
    def memory(self) -> int:
        """Bytes of the server that are in memory."""
        assert self.web is not None
        status = Path(f"/proc/{self.web.pid}/status").read_text(encoding="ascii")
        (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    @property
    def sockets(self) -> int:
        """Connections that the server has not closed, whatever their other end does."""
        lines = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        connections = [line.split()[1:4] for line in lines]
        return sum(
            int(local.rpartition(":")[2], 16) == self.port and state in (ESTABLISHED, CLOSE_WAIT)
            for local, _, state in connections
        )


@pytest.fixture(scope="module")
def processes(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StreamSite]:
    environment = {
        **os.environ,
        "DATABASE_URL": url_of_test_database(),
        "SOCIALCODE_DATABASE_POOL": "1",
        "SOCIALCODE_SOCKETS_PER_ADDRESS": str(SEATS),
        "SOCIALCODE_CONNECTIONS_PER_ADDRESS": "2000",
        "STREAM_CONSTANTS": json.dumps(
            {
                "runner.sockets.flow_control:RESEND_SECONDS": RESEND_SECONDS,
                "runner.sockets.consumer:HEARTBEAT_SECONDS": 0.5,
                "socialcode.server.websocket_protocol:LINGER_SECONDS": 5,
            }
        ),
    }
    site = StreamSite(tmp_path_factory.mktemp("streams"), environment)
    try:
        site.start_web()
        yield site
    finally:
        site.stop()


@pytest.fixture
def site(transactional_db: None, processes: StreamSite) -> StreamSite:
    return processes


@asynccontextmanager
async def undisturbed(site: StreamSite, *, events: int = 200) -> AsyncIterator[None]:
    """Have somebody else follow all the while, and miss nothing."""
    _, _, cookie = await query(signed_in, "mira")
    payloads = ["x" * 100] * 10

    async def write_on() -> None:
        for _ in range(events // len(payloads)):
            await query(write, TOPIC, payloads)
            await asyncio.sleep(0.01)

    async with StreamClient(
        site.socket_url, origin=site.url, headers={"Cookie": cookie}, last_retry_seconds=0.2
    ) as client:
        await client.follow(TOPIC)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await client.wait_caught_up(TOPIC)
        writing = asyncio.create_task(write_on())
        yield
        async with asyncio.timeout(PATIENCE_SECONDS):
            seqs = [(await client.next_event()).seq for _ in range(events)]
            await writing
        assert seqs == list(range(1, events + 1))
        assert client.connections == 1


async def until_all_are_closed(site: StreamSite) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while site.sockets:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.1)


async def memory_at_rest(site: StreamSite) -> int:
    """Wait until the server takes no more memory; return how much it has."""
    known = 0
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (found := site.memory) > known:
            known = found
            await asyncio.sleep(1)
    return known


async def test_clients_that_stop_reading_cost_little_and_are_let_go(site: StreamSite) -> None:
    async with undisturbed(site), AsyncExitStack() as stack:
        stuck = [await stack.enter_async_context(Raw(site.address)) for _ in range(SEATS)]
        await query(write, "open:large", ["x" * 10_000])
        for client in stuck:
            await client.send(subscribe("open:large"))
        before = site.memory
        for _ in range(12):
            await query(write, "open:large", ["x" * 10_000] * 100)
            await asyncio.sleep(0.1)
        # One frame each, and what all of them share; not 12 MB each.
        assert site.memory - before < FEW_MEGABYTES
        await asyncio.sleep(6 * RESEND_SECONDS)
        frames, code = await stuck[0].receive_to_the_end()
        assert code == 4408
        events = [event["seq"] for each in frames for event in each.get("events", ())]
        assert events == list(range(1, len(events) + 1))
    await until_all_are_closed(site)


async def test_sockets_of_clients_that_never_read_again_are_closed_for_good(
    site: StreamSite,
) -> None:
    await query(write, "open:large", ["x" * 10_000] * 300)
    async with AsyncExitStack() as stack:
        for _ in range(10):
            client = await stack.enter_async_context(Raw(site.address))
            await client.send(subscribe("open:large"))
        assert site.sockets >= 10
        await until_all_are_closed(site)  # though all of them are open at the other end


async def test_pings_of_one_who_does_not_read_fill_no_memory(site: StreamSite) -> None:
    pings = frame(PING, bytes(125)) * 1_000
    async with undisturbed(site), Raw(site.address) as hostile:
        await query(write, "open:large", ["x" * 10_000] * 300)
        await hostile.send(subscribe("open:large"))
        before = most = await memory_at_rest(site)  # the socket is full
        while True:  # until it is presumed gone, and nobody waits for its farewell any more
            try:
                await hostile.send(pings)
            except OSError:
                break
            most = max(most, site.memory)
            await asyncio.sleep(0.01)
        assert most - before < FEW_MEGABYTES / 5


async def test_a_message_in_pieces_without_end_is_cut_off(site: StreamSite) -> None:
    async with undisturbed(site), Raw(site.address) as hostile:
        await hostile.send(frame(TEXT, is_last=False) + frame(CONTINUATION, is_last=False) * 10_000)
        _, code = await hostile.receive_to_the_end()
        assert code == 1009


DEEP = "[" * 30_000
SUBSCRIPTIONS = b"".join(subscribe(f"open:{number}") for number in range(10_000))


@pytest.mark.parametrize(
    ("sent", "error", "code"),
    [
        (text("ack", topic="open:mine", seq=2), "ack_beyond_sent", 4409),
        (text("ping") * 20_000, "too_many_frames", 4429),
        (SUBSCRIPTIONS, "too_many_topics", 4422),
        (frame(TEXT, b"x" * 10_000_000), None, 1009),
        (frame(TEXT, DEEP.encode()), "malformed", 4400),
        (frame(TEXT, ('{"a":' * 12_000).encode()), "malformed", 4400),
    ],
    ids=["ack", "flood", "topics", "large", "deep", "deep-objects"],
)
async def test_who_breaks_the_rules_is_told_which(
    site: StreamSite, sent: bytes, error: str | None, code: int
) -> None:
    await query(write, "open:mine", ["x"])
    before = site.memory
    async with undisturbed(site), Raw(site.address) as hostile:
        await hostile.send(subscribe("open:mine"))
        while b"caught_up" not in (await hostile.receive())[1]:
            pass
        sending = asyncio.create_task(hostile.send(sent))
        frames, closed = await hostile.receive_to_the_end()
        assert closed == code
        assert [each["code"] for each in frames if each["type"] == "error"] == [error] * bool(error)
        await asyncio.gather(sending, return_exceptions=True)
    assert site.memory - before < FEW_MEGABYTES


async def test_a_thousand_sockets_of_one_address_leave_room_for_others(site: StreamSite) -> None:
    before = site.memory

    async def open_one() -> tuple[list[Any], int] | None:
        client = await stack.enter_async_context(Raw(site.address))
        if b"hello" in (first := await client.receive())[1]:
            return None
        _, code = await client.receive_to_the_end()
        return [json.loads(first[1])], code

    async with AsyncExitStack() as stack:
        async with undisturbed(site):
            ends: list[tuple[list[Any], int] | None] = []
            for _ in range(20):
                ends += await asyncio.gather(*(open_one() for _ in range(50)))
            # One who comes only now, and has nothing to do with them.
            _, _, cookie = await query(signed_in, "otto")
            async with Peer(site.address, cookie=cookie) as late:
                await late.subscribe(TOPIC)
                assert (await late.receive())["type"] in ("events", "caught_up")
        refusals = [end for end in ends if end is not None]
        assert len(ends) - len(refusals) == SEATS
        for (error,), code in refusals:
            assert (error["type"], error["code"]) == ("error", "too_many_connections")
            assert "30 sockets" in error["message"]
            assert code == 4423
        assert site.memory - before < FEW_MEGABYTES
    await until_all_are_closed(site)


async def test_a_seat_that_was_left_is_free_again(site: StreamSite) -> None:
    for _ in range(2):
        async with AsyncExitStack() as stack:
            for _ in range(SEATS):
                await stack.enter_async_context(Peer(site.address))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                async with Raw(site.address) as client:
                    if b"hello" in (await client.receive())[1]:
                        break
