"""Calls over TCP: only both ends with the site's secret key talk to each other."""

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator

import pytest
from pytest_django import Settings

from runner.calls import CallRequest, CallServerUnavailable, run_call
from runner.calls.addresses import TcpAddress
from runner.calls.connections import close_idle
from runner.calls.frames import encode_frame
from runner.calls.handshake import NONCE_BYTES, REPLY_BYTES, make_reply
from runner.programs.program import module_row, source_hash
from runner.sandbox import Pool
from tests.patience import PATIENCE_SECONDS
from tests.support.callers import serving

SOURCE = "def F():\n    return 7\n"
ROW = module_row("F", source_hash(SOURCE), ())
CALL = CallRequest("mira", (ROW,), "F", {"args": []}, {ROW[1]: SOURCE})
PING = encode_frame({})


@pytest.fixture(scope="module")
def address() -> Iterator[TcpAddress]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with serving(Pool(1), at=TcpAddress("127.0.0.1", port)) as served:
        assert isinstance(served.path, TcpAddress)
        yield served.path


@pytest.fixture
def callers(address: TcpAddress, settings: Settings) -> Iterator[TcpAddress]:
    settings.CALLERS_SOCKET = f"tcp://127.0.0.1:{address.port}"
    yield address
    close_idle()


def test_a_call_goes_to_another_machine_also_while_the_key_changes(
    callers: TcpAddress, settings: Settings
) -> None:
    assert run_call(CALL).value == 7
    former, settings.SECRET_KEY = settings.SECRET_KEY, "the next key"
    settings.SECRET_KEY_FALLBACKS = [former]
    assert run_call(CALL).value == 7  # over the kept connection
    with connected(callers) as (connection, nonce):
        settings.SECRET_KEY, later = former, settings.SECRET_KEY
        reply = make_reply(nonce)
        settings.SECRET_KEY = later
        connection.sendall(reply.content)
        assert connection.recv(1_000) == reply.expected


def of_another_key(nonce: bytes, settings: Settings) -> bytes:
    ours, settings.SECRET_KEY = settings.SECRET_KEY, "another"
    reply = make_reply(nonce)
    settings.SECRET_KEY = ours
    return reply.content


@pytest.mark.parametrize(
    "reply",
    [
        of_another_key,
        lambda _nonce, _settings: os.urandom(REPLY_BYTES),
        lambda _nonce, _settings: PING * REPLY_BYTES,
        lambda _nonce, _settings: make_reply(b"a former nonce".ljust(NONCE_BYTES)).content,
        lambda nonce, _settings: make_reply(nonce).content + PING,
    ],
    ids=["another key", "noise", "frames", "replayed", "too long"],
)
def test_a_client_without_the_key_is_refused(
    callers: TcpAddress, settings: Settings, reply: Callable[[bytes, Settings], bytes]
) -> None:
    with connected(callers) as (connection, nonce), contextlib.suppress(ConnectionResetError):
        connection.sendall(reply(nonce, settings))
        assert connection.recv(1_000) == b""


def test_a_server_without_the_key_gets_no_call(settings: Settings) -> None:
    received: list[bytes] = []

    def pretend() -> None:
        with listener.accept()[0] as connection:
            connection.sendall(os.urandom(NONCE_BYTES))
            received.append(connection.recv(1_000))
            connection.sendall(os.urandom(NONCE_BYTES))
            received.append(connection.recv(1_000))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        settings.CALLERS_SOCKET = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        thread = threading.Thread(target=pretend)
        thread.start()
        with pytest.raises(CallServerUnavailable, match="another SECRET_KEY"):
            run_call(CALL)
        thread.join()
    assert [len(each) for each in received] == [REPLY_BYTES, 0]


@contextlib.contextmanager
def connected(address: TcpAddress) -> Iterator[tuple[socket.socket, bytes]]:
    """Connect, and wait for the server's nonce."""
    with socket.create_connection(address, PATIENCE_SECONDS) as connection:
        yield connection, connection.recv(NONCE_BYTES)
