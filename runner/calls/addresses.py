"""Addresses of the call and analysis servers: Unix sockets, or TCP for other machines."""

import os
import socket
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

TCP_SCHEME = "tcp"
BACKLOG = 1024
# A machine that is gone is noticed within ten seconds, as on connections to the database.
_TCP_OPTIONS = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 2),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 10_000),
)


class TcpAddress(NamedTuple):
    """A host and a port."""

    host: str
    port: int


Address = Path | TcpAddress


def parse_address(text: str) -> Address:
    """Return the address in `tcp://host:port`, or else a path."""
    url = urlsplit(text)
    if url.scheme != TCP_SCHEME:
        return Path(text)
    return TcpAddress(url.hostname or "", url.port or 0)


def connect(address: Address, seconds: float) -> socket.socket:
    """Return a connection to the address; its timeout is `seconds`."""
    if isinstance(address, TcpAddress):
        connection = socket.create_connection(address, seconds)
        keep_alive(connection)
        return connection
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect(str(address))
    except BaseException:
        connection.close()
        raise
    return connection


def keep_alive(connection: socket.socket) -> None:
    """Have TCP notice that the other machine is gone."""
    for level, name, value in _TCP_OPTIONS:
        connection.setsockopt(level, name, value)


def listen(address: Address) -> socket.socket:
    """Open the listening socket at the address."""
    if isinstance(address, TcpAddress):
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        return socket.create_server(address, family=family, backlog=BACKLOG)
    return _listen_at(address)


def _listen_at(path: Path) -> socket.socket:
    """Open a Unix socket, for this user only; replaces one left behind."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Bound under another name, then renamed, so that clients never find a socket without listener.
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    before = os.umask(0o177)
    try:
        draft.unlink(missing_ok=True)
        listener.bind(str(draft))
        listener.listen(BACKLOG)
        draft.replace(path)
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener
