"""Tells systemd that a service is ready, so that the next one can be replaced."""

import os
import socket


def notify_ready() -> None:
    """Report that this process serves, to whoever asks for it in NOTIFY_SOCKET (`Type=notify`)."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        # A leading @ stands for the zero byte of an abstract address.
        manager.connect("\0" + address[1:] if address.startswith("@") else address)
        manager.sendall(b"READY=1")
