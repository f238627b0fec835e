"""Runs in a network of its own, cuts it, and says after how many seconds queries end in an error.

unshare --net python -m tests.support.cut_network SOCKET DATABASE
"""

import fcntl
import json
import os
import socket
import struct
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import django
from django.db import OperationalError, connection

SIOCSIFFLAGS, IFF_UP = 0x8914, 1
PAUSE_SECONDS = 0.5


def set_network(*, is_up: bool) -> None:
    """Let everything through, or nothing at all: neither end is told."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", IFF_UP if is_up else 0)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, request)


def forward_to(target: str) -> int:
    """Have a port forward to this Unix socket; return the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            near, _ = listener.accept()
            far = socket.socket(socket.AF_UNIX)
            far.connect(target)
            for pair in ((near, far), (far, near)):
                threading.Thread(target=pump, args=pair, daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return int(listener.getsockname()[1])


def pump(source: socket.socket, target: socket.socket) -> None:
    """Pass on what comes."""
    while some := source.recv(65_536):
        target.sendall(some)


def main(target: str, database: str) -> None:
    set_network(is_up=True)
    os.environ["DATABASE_URL"] = f"postgresql://postgres@127.0.0.1:{forward_to(target)}/{database}"
    os.environ["DJANGO_SETTINGS_MODULE"] = "socialcode.settings"
    django.setup()
    is_cut = threading.Event()

    def seconds_of(statement: str, *, begins_before: bool) -> float:
        with connection.cursor() as cursor:
            cursor.execute("select 1")
            if not begins_before:
                is_cut.wait()
            began_at = time.monotonic()
            try:
                cursor.execute(statement)
            except OperationalError:
                return time.monotonic() - began_at
        return -1.0

    with ThreadPoolExecutor(2) as threads:
        sent = threads.submit(seconds_of, "select 1", begins_before=False)
        awaited = threads.submit(seconds_of, "select pg_sleep(3600)", begins_before=True)
        time.sleep(PAUSE_SECONDS)
        set_network(is_up=False)
        is_cut.set()
        print(json.dumps({"sent": sent.result(), "awaited": awaited.result()}))
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:3])
