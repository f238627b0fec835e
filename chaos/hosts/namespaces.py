"""Hosts: network namespaces with addresses and names of their own, on one bridge."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.site import ROOT
from chaos.processes import Process, descendants, send
from socialcode.embedded.children import command_line, start_child, stop_child
from socialcode.embedded.launcher import USER_NAMESPACE

PREFIX = "10.77.0"
BRIDGE = "hosts"
START_SECONDS = 20.0
# Set within the namespaces that `enter` makes.
INSIDE = "SOCIALCODE_CHAOS_INSIDE"

_PACKAGES = {"ip": "iproute2", "nsenter": "util-linux", "unshare": "util-linux"}
_ENTER = ("--user", "--map-root-user", "--net")
# To be run by `sh`, with the path of `ip` as $0.
_ATTEMPT = f"""
"$0" link set lo up && "$0" link add {BRIDGE} type bridge && "$0" link add v1 type veth peer name v2
"""
# The keeper of a host's namespaces.
_KEEP = """
import signal, socket, sys
socket.sethostname(sys.argv[1])
print("ready", flush=True)
signal.pause()
"""


def _which(program: str) -> str | None:
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


_IP, _NSENTER, _UNSHARE = (_which(program) or program for program in _PACKAGES)


def obstacle() -> str:
    """Return why hosts can't be made on this machine; empty if they can."""
    for program, package in _PACKAGES.items():
        if _which(program) is None:
            return f"the program {program} is missing (apt-get install {package})"
    command = [_UNSHARE, *_ENTER, "--uts", "sh", "-c", _ATTEMPT, _IP]
    attempt = subprocess.run(command, capture_output=True, text=True, check=False)
    if attempt.returncode == 0:
        return ""
    return (
        f"this machine allows no network namespaces ({attempt.stderr.strip()}). Debian: sysctl"
        " user.max_user_namespaces above 0; Ubuntu: sysctl"
        " kernel.apparmor_restrict_unprivileged_userns=0; a container must allow them"
    )


def enter(module: str, *words: str) -> None:
    """Replace this process by one that runs the module in a user and a network namespace."""
    environment = {**os.environ, INSIDE: "1"}
    command = [_UNSHARE, *_ENTER, "--", sys.executable, "-m", module, *words]
    os.execvpe(command[0], command, environment)


def make_bridge() -> None:
    """Make the network of the hosts, with this process as its first host."""
    _ip(
        "link set lo up",
        f"link add {BRIDGE} type bridge",
        f"addr add {PREFIX}.1/24 dev {BRIDGE}",
        f"link set {BRIDGE} up",
    )


class Host:
    """A host, whose processes end with this one."""

    def __init__(self, name: str, number: int, folder: Path) -> None:
        self.name, self.number = name, number
        self.address = f"{PREFIX}.{number}"
        self.folder = folder / name
        # A host that takes the place of a dead one finds none of its files.
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(mode=0o700)
        self.is_connected = False
        self._link = f"v{number}"
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._starts: dict[str, Callable[[], subprocess.Popen[bytes]]] = {}
        self._keeper = start_child(
            [_UNSHARE, "--net", "--uts", "--", sys.executable, "-I", "-S", "-c", _KEEP, name],
            log=self.folder / "host.log",
        )
        self._await_namespaces()
        pid = self._keeper.pid
        # The address of a link goes with that of the host: a host that takes another's place is
        # reached at once, as if it had announced itself.
        link = f"02:00:00:00:00:{number:02x}"
        _ip(f"link add {self._link} type veth peer name eth0 address {link} netns {pid}")
        _ip(
            f"addr add {self.address}/24 dev eth0", "link set eth0 up", "link set lo up", within=pid
        )
        _ip(f"link set {self._link} up")
        self.reconnect()

    def start(
        self, name: str, command: Sequence[str | Path], environment: Mapping[str, str]
    ) -> None:
        """Start a process that writes `name`.log in the host's folder, as an ordinary user."""
        self._starts[name] = partial(
            start_child,
            self._within(command),
            log=self.folder / f"{name}.log",
            folder=ROOT,
            environment=environment,
        )
        self._children[name] = self._starts[name]()

    def run(self, command: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        """Run a command. Raises if it fails."""
        ended = subprocess.run(
            self._within(command),
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            raise RuntimeError(f"{self.name}: {command[0]} failed: {ended.stdout}{ended.stderr}")

    def disconnect(self) -> None:
        """Cut the host off: nothing arrives, and no connection is closed."""
        _ip(f"link set {self._link} nomaster")
        self.is_connected = False

    def reconnect(self) -> None:
        _ip(f"link set {self._link} master {BRIDGE}")
        self.is_connected = True

    def kill(self) -> None:
        """Switch the host off: nobody is told, as packets no longer leave it."""
        if self._keeper.poll() is not None:
            return
        # Its namespace may outlive its processes for a while; another host may need the name.
        _ip(f"link delete {self._link}")
        self.is_connected = False
        for child in self._children.values():
            for process in descendants(child.pid):
                send(process, signal.SIGKILL)
            stop_child(child, signal.SIGKILL)
        self._children.clear()
        stop_child(self._keeper, signal.SIGKILL)

    def restart_ended(self) -> list[str]:
        """Restart processes that have ended by themselves, as a service manager does; name them."""
        ended = [name for name, child in self._children.items() if child.poll() is not None]
        self._children |= {name: self._starts[name]() for name in ended}
        return ended

    def end(self, name: str, number: signal.Signals = signal.SIGTERM) -> list[Process]:
        """End a process; return those that it had started."""
        child = self._children.pop(name)
        born = descendants(child.pid)
        stop_child(child, number)
        return born

    def _within(self, command: Sequence[str | Path]) -> list[str]:
        launched = command_line(command, death_signal=signal.SIGKILL, identity=USER_NAMESPACE)
        pid = str(self._keeper.pid)
        return [_NSENTER, "--target", pid, "--net", "--uts", "--", *launched]

    def _await_namespaces(self) -> None:
        log, deadline = self.folder / "host.log", time.monotonic() + START_SECONDS
        while not (log.exists() and log.read_text("utf-8").endswith("ready\n")):
            if self._keeper.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} did not start: {log.read_text('utf-8')}")
            time.sleep(0.01)


def _ip(*commands: str, within: int | None = None) -> None:
    """Run commands of iproute2, perhaps in the namespace of this process."""
    entered = [_NSENTER, "--target", str(within), "--net", "--"] if within else []
    for command in commands:
        subprocess.run([*entered, _IP, *command.split()], check=True)
