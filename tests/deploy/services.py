"""Runs the services of deploy/systemd as systemd does, and nginx of deploy/ in front of them."""

import os
import re
import shlex
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import Popen

from socialcode.embedded.children import start_child, stop_child
from socialcode.web import listen
from tests.deploy.files import DEPLOY, ROOT, checked, program, read, unit
from tests.patience import PATIENCE_SECONDS

# How a program ends that was told to: by returning, or by the signal once it has cleaned up.
ORDERLY = (0, -signal.SIGTERM)


class Services:
    """Processes by the names of their units; the web servers share a socket, which stays open."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = dict(environment)
        self._listener = listen("127.0.0.1", 0)
        self._running: dict[str, Popen[bytes]] = {}

    @property
    def port(self) -> int:
        """Where the web servers listen."""
        return int(self._listener.getsockname()[1])

    def start(self, name: str, *, tree: Path = ROOT, waits: bool = True) -> None:
        """Start a service, from this tree, and wait until it reports that it is ready."""
        descriptor = self._listener.fileno()
        words = shlex.split(_service(name)["ExecStart"].replace("--fd 3", f"--fd {descriptor}"))
        address = self.folder / f"{name}.ready"
        address.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.bind(str(address))
            ready.settimeout(PATIENCE_SECONDS)
            self._running[name] = start_child(
                [sys.executable, *words[1:]],
                log=self.folder / f"{name}.log",
                folder=tree,
                environment={
                    **self.environment,
                    **({"NOTIFY_SOCKET": str(address)} if waits else {}),
                },
                pass_fds=(descriptor,),
            )
            if not waits:
                return
            try:
                assert ready.recv(64) == b"READY=1"
            except TimeoutError:
                raise AssertionError(f"{name} is not ready\n{self.logs()}") from None

    def stop(self, name: str) -> None:
        """Stop a service as `systemctl stop` does."""
        service = self._running.pop(name)
        service.terminate()
        assert service.wait(int(_service(name)["TimeoutStopSec"])) in ORDERLY, self.logs()

    def restart(self, name: str, *, tree: Path = ROOT) -> None:
        """Replace a service as `systemctl restart` does."""
        self.stop(name)
        self.start(name, tree=tree)

    def close(self) -> None:
        """End all that runs."""
        for service in self._running.values():
            service.terminate()
        for service in self._running.values():
            stop_child(service, signal.SIGTERM)
        self._running.clear()
        self._listener.close()

    def logs(self) -> str:
        """Return what the processes said last."""
        logs = sorted(self.folder.glob("*.log"))
        return "\n".join(f"--- {log.name}\n{log.read_text('utf-8')[-4000:]}" for log in logs)


def _service(name: str) -> Mapping[str, str]:
    kind = name.partition("@")[0]
    return unit(DEPLOY / f"systemd/socialcode-{kind}@.service")["Service"]


def make_certificate(folder: Path) -> Path:
    """Make a certificate for localhost, and its key, where nginx's configuration has them."""
    key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
    checked(
        program("openssl"),
        *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
        *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
        *("-keyout", str(key), "-out", str(certificate)),
    )
    return certificate


def nginx_configuration(folder: Path, *, port: int = 0, upstream: int = 8000) -> Path:
    """Write deploy/nginx.conf and what includes it, with the certificate in this folder."""
    site = read("nginx.conf").replace("/etc/socialcode/tls", str(folder))
    if port:
        site = re.sub(r" +listen \[::\].*\n", "", site)
        site = site.replace("listen 80;", f"listen unix:{folder}/plain;")
        site = site.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
        site = site.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    (folder / "site.conf").write_text(site)
    # Its workers reach the folder, which is root's in that case.
    user = "user root;" if os.geteuid() == 0 else ""
    paths = " ".join(
        f"{name}_temp_path {folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = folder / "nginx.conf"
    main.write_text(
        f"{user} daemon off; pid {folder}/pid; events {{}}\n"
        f"http {{ access_log off; {paths} include {folder}/site.conf; }}\n"
    )
    return main
