"""Tells systemd that a service is ready, so that the next one can be replaced."""

import logging
import os
import socket

log = logging.getLogger(__name__)


def notify_ready() -> None:
    """Report that this process serves, to whoever asks for it in NOTIFY_SOCKET (`Type=notify`)."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    # A leading @ stands for the zero byte of an abstract address.
    target = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.sendto(b"READY=1", target)
    except OSError as error:
        log.warning("nobody listens at NOTIFY_SOCKET: %s", error)
