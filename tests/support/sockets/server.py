"""A server of real sockets in the test's own process, with topics that anyone or one user sees."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple, Self

import pytest
import uvicorn
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from runner import registry
from runner.registry import register_topic
from socialcode.asgi import application
from socialcode.server.websocket_protocol import SocketProtocol
from tests.patience import PATIENCE_SECONDS


@pytest.fixture(autouse=True)
def topic_kinds() -> Iterator[None]:
    """Register `open:<any>` for everyone and `private:<user id>` for that user."""
    register_topic("open", lambda _actor, _row_id: True)
    register_topic("private", lambda actor, row_id: str(actor.pk) == row_id)
    yield
    for kind in ("open", "private"):
        del registry.topic_permissions[kind]


def signed_in(username: str) -> tuple[User, Client, str]:
    """Return a user, a client signed in as that user, and the cookie of the session."""
    user, _ = User.objects.get_or_create(username=username)
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return user, client, f"{name}={client.cookies[name].value}"


class Server:
    """The site over real sockets."""

    def __init__(self, *, port: int = 0, ping_seconds: float = 20.0) -> None:
        self._ping_seconds = ping_seconds
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = self._listener.getsockname()[1]
        self._server: uvicorn.Server | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws/"

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        config = uvicorn.Config(
            application,
            log_config=None,
            lifespan="off",
            ws=SocketProtocol,
            ws_ping_interval=self._ping_seconds,
            ws_ping_timeout=self._ping_seconds,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._task = asyncio.create_task(self._server.serve([self._listener]))
        while not self._server.started:  # noqa: ASYNC110 - it has a flag, and no event
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        assert self._server is not None
        assert self._task is not None
        self._server.should_exit = True
        await asyncio.wait_for(self._task, PATIENCE_SECONDS)


@pytest.fixture
async def server(transactional_db: None) -> AsyncIterator[Server]:
    """Start the site for one test."""
    site = Server()
    await site.start()
    yield site
    await site.stop()


class Address(NamedTuple):
    """Where a server in another process is to be reached."""

    url: str
    origin: str


class Peer:
    """The bare protocol: what is sent and received is what the test says, and at most acks more."""

    def __init__(
        self,
        server: Server | Address,
        *,
        origin: str | None = None,
        cookie: str = "",
        acks: bool = True,
    ) -> None:
        self._url = server.url
        self._origin = Origin(origin or server.origin)
        self._headers = {"Cookie": cookie} if cookie else {}
        self._acks = acks
        self._socket: ClientConnection

    async def __aenter__(self) -> Self:
        self._socket = await connect(
            self._url,
            origin=self._origin,
            additional_headers=self._headers,
            proxy=None,
            open_timeout=PATIENCE_SECONDS,
            # What a frame weighs is what it takes up on its way.
            compression=None,
            max_size=None,
        )
        assert (await self.receive())["type"] == "hello"
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._socket.close()

    async def send(self, kind: str, **fields: Any) -> None:
        await self.send_raw(json.dumps({"type": kind, **fields}))

    async def send_raw(self, frame: str | bytes) -> None:
        await self._socket.send(frame)

    async def subscribe(self, topic: str, *, epoch: int = 1, after: int = 0, **fields: Any) -> None:
        await self.send("subscribe", topic=topic, epoch=epoch, after=after, **fields)

    async def receive(self, *, within: float = PATIENCE_SECONDS) -> Any:
        frame = json.loads(await asyncio.wait_for(self._socket.recv(), within))
        if self._acks and frame["type"] == "events":
            await self.send("ack", topic=frame["topic"], seq=frame["events"][-1]["seq"])
        return frame

    async def receive_until(
        self, kind: str, *, within: float = PATIENCE_SECONDS
    ) -> tuple[list[int], Any]:
        """Return the sequences received before the first frame of this kind, and that frame."""
        seqs: list[int] = []
        async with asyncio.timeout(within):
            while (frame := await self.receive(within=within))["type"] != kind:
                seqs += [event["seq"] for event in frame.get("events", [])]
        return seqs, frame

    async def receive_seqs(self, count: int, *, within: float = PATIENCE_SECONDS) -> list[int]:
        """Return the sequences of the next so many events."""
        seqs: list[int] = []
        async with asyncio.timeout(within):
            while len(seqs) < count:
                frame = await self.receive(within=within)
                seqs += [event["seq"] for event in frame.get("events", [])]
        return seqs

    async def await_close(self, *, within: float = PATIENCE_SECONDS) -> int:
        """Return the code that the server closes with."""

        async def read_on() -> None:
            while True:
                await self._socket.recv()

        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(read_on(), within)
        assert closed.value.rcvd is not None
        return closed.value.rcvd.code
