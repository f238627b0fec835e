"""Serves the site over HTTP and WebSockets: `python -m socialcode.web`."""

import argparse
import asyncio
import gc
import os
import resource
import socket
import sys

import uvicorn
from django.conf import settings
from django.utils.module_loading import import_string

from runner.operations.preconditions import Unfit, check_preconditions
from runner.operations.service_manager import notify_ready
from runner.telemetry.gauges import start_publishing
from socialcode.environment import SettingError
from socialcode.server.http_protocol import RequestProtocol
from socialcode.server.websocket_protocol import SocketProtocol

APPLICATION = "socialcode.asgi:application"
# Frames of the site's own pages have only a few hundred bytes.
LARGEST_FRAME_BYTES = 64 * 1024
STOP_TIMEOUT_SECONDS = 5
# Behind a proxy, which sends further requests elsewhere meanwhile: as long as a page may take.
DRAIN_SECONDS = 35
# A browser that vanishes without closing its socket is noticed within the sum of these, which is
# the connection timeout of `runner.sockets.presence`.
PING_INTERVAL_SECONDS = 10.0
PING_TIMEOUT_SECONDS = 10.0
HIGHEST_PORT = 65_535


def port_number(text: str) -> int:
    """Parse a port. Raises ArgumentTypeError if it is invalid."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= HIGHEST_PORT):
        raise argparse.ArgumentTypeError(
            f"{text!a} is not a port. Choose a number from 1 to {HIGHEST_PORT}, as in: "
            "make run PORT=8000"
        )
    return int(text)


def listen(host: str, port: int) -> socket.socket:
    """Open the listening socket. Raises `OSError` if the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Allow rebinding a port whose last owner has just ended.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
    except OSError:
        listener.close()
        raise
    return listener


class Server(uvicorn.Server):
    """uvicorn's server; reports that it serves, and stops without refusing anybody."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        notify_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, then let connections end."""
        for server in self.servers:
            server.close()
        _end_waits()
        # Connections that were accepted just now get their protocol, which is then told to stop.
        await asyncio.sleep(0.1)
        await super().shutdown(sockets)


def _end_waits() -> None:
    """Answer the requests that wait for batches."""
    # Its module needs the apps, which the application has loaded.
    import_string("runner.sockets.batch_watch.batch_watch")().stop()


def serve(listener: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT."""
    # Each socket needs a descriptor; the usual soft limit is too low.
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    config = uvicorn.Config(
        APPLICATION,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        # The application decides which proxies' headers are trusted.
        proxy_headers=False,
        http=RequestProtocol,
        ws=SocketProtocol,
        ws_max_size=LARGEST_FRAME_BYTES,
        # Compression would be a third of a broadcast frame's cost, and half of a socket's memory.
        ws_per_message_deflate=False,
        ws_ping_interval=PING_INTERVAL_SECONDS,
        ws_ping_timeout=PING_TIMEOUT_SECONDS,
        timeout_graceful_shutdown=STOP_TIMEOUT_SECONDS,
    )
    # Loaded objects are exempt from garbage collection, which would delay pages.
    gc.disable()
    try:
        config.load()
        if settings.BEHIND_PROXY:
            config.timeout_graceful_shutdown = DRAIN_SECONDS
        check_preconditions()
    except (SettingError, Unfit) as wrong:
        sys.exit(str(wrong))
    gc.freeze()
    gc.enable()
    start_publishing("web")
    Server(config).run(sockets=[listener])


def main() -> None:
    """Read the command line, then serve."""
    parser = argparse.ArgumentParser(prog="python -m socialcode.web", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=port_number, default=os.environ.get("PORT") or "8000")
    parser.add_argument("--fd", type=int, help="an inherited listening socket")
    options = parser.parse_args()
    # Opened here, because uvicorn treats each inherited socket as a Unix socket and doesn't set
    # TCP_NODELAY.
    if options.fd is not None:
        listener = socket.socket(fileno=options.fd)
    else:
        try:
            listener = listen(options.host, options.port)
        except OSError as error:
            sys.exit(
                f"Port {options.port} of {options.host} cannot be opened: {error.strerror}. Choose"
                f" another: --port {options.port + 1}"
            )
    serve(listener)


if __name__ == "__main__":
    main()
