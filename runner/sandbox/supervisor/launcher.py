"""Starts a zygote: in namespaces of its own, through bubblewrap, or without namespaces."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from runner.sandbox.interpreter import INTERPRETER
from runner.sandbox.jail import confinement, kernel
from runner.sandbox.jail.confinement import Layers
from runner.sandbox.programs import SandboxBroken, SandboxUnavailable

# The default entry of a zygote's processes.
ROLES = "runner.sandbox.process.roles:roles"
_ZYGOTE = "runner.sandbox.process.zygote"

# Strictest first.
LAUNCHERS = ("namespaces", "bubblewrap", "bare")
_ROOT = Path(__file__).resolve().parents[3]
# Long, because a start that is only slow must not be replaced by one with fewer layers.
_START_SECONDS = 30.0
_END_SECONDS = 5.0

# A constant hash seed and time zone, so that a program has the same result everywhere. Library
# functions are resolved at the start (LD_BIND_NOW), not by each child upon the first call.
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PATH": "/usr/bin:/bin",
    "LD_BIND_NOW": "1",
    # A second arena would take half of a program's memory.
    "MALLOC_ARENA_MAX": "1",
}


class Zygote:
    """A running zygote: its control socket and its layers of confinement.

    The kernel sends the parent-death signal when the *thread* that started a process ends. So the
    zygote is started by a thread that lives as long as the zygote does.
    """

    layers: Layers
    _process: subprocess.Popen[bytes]

    def __init__(self, launcher: str, run: str) -> None:
        self._errors = b""
        self._reaping = threading.Lock()
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # Programs must not reach it, which the zygote tries.
        outside = socket.socket(socket.AF_UNIX)
        self._outside = f"\0socialcode-{os.getpid():>10}-{outside.fileno():>5}"
        outside.bind(self._outside)
        outside.listen()
        started: Future[None] = Future()
        self._keeper = threading.Thread(
            target=self._keep, args=(launcher, run, theirs, started), daemon=True
        )
        self._keeper.start()
        try:
            started.result()
        except OSError as error:
            outside.close()
            self.control.close()
            raise SandboxBroken(f"could not be started: {error}") from error
        try:
            with outside:
                layers = self._read_greeting()
        except SandboxBroken:
            self.close()
            raise
        self.layers = dataclasses.replace(layers, user=_user_of(self.pid, layers.user))

    @property
    def pid(self) -> int:
        """The id of the started process; ending it ends the zygote and its children."""
        return self._process.pid

    def close(self) -> None:
        """End the zygote and its children, and wait until they are gone."""
        self.control.close()
        self._kill()
        self._keeper.join(_END_SECONDS)

    def _keep(self, launcher: str, run: str, control: socket.socket, started: Future[None]) -> None:
        kernel.keep_addresses()
        prefix = bubblewrap_command(run) if launcher == "bubblewrap" else []
        with control:
            try:
                self._process = subprocess.Popen(
                    [*prefix, *_python(launcher, control.fileno(), self._outside, run)],
                    pass_fds=[control.fileno()],
                    env=_ENVIRONMENT,
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                started.set_exception(error)
                return
        started.set_result(None)
        if self._process.stderr is not None:
            with self._process.stderr as stderr:
                self._errors = stderr.read()
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        # Kill what it has started, before it is reaped: until then, its id can't be reused.
        self._kill()
        with self._reaping:
            self._process.wait()

    def _kill(self) -> None:
        """Kill the process and all it has started: they can't leave its process group."""
        with self._reaping, contextlib.suppress(ProcessLookupError):
            if self._process.returncode is None:
                os.killpg(self.pid, signal.SIGKILL)

    def _read_greeting(self) -> Layers:
        self.control.settimeout(_START_SECONDS)
        try:
            greeting = self.control.recv(65_536)
        except TimeoutError:
            raise SandboxBroken("did not respond") from None
        except OSError as error:
            raise SandboxBroken(str(error)) from error
        self.control.settimeout(None)
        if not greeting:
            self._keeper.join(_END_SECONDS)
            errors = self._errors.decode("utf-8", "replace").strip().splitlines()
            raise SandboxBroken(errors[-1] if errors else "ended before it was ready")
        fields: dict[str, Any] = json.loads(greeting)
        if "error" in fields:
            raise SandboxBroken(fields["error"])
        return Layers(**fields)


def launch(run: str = ROLES) -> Zygote:
    """Start the most strictly confined zygote that this machine allows.

    `run` names the entry of its processes ("package.module:name"). Raises SandboxUnavailable with
    the reasons.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable(f"confinement needs Linux, but this is {sys.platform}")
    if INTERPRETER.problem:
        raise SandboxUnavailable(INTERPRETER.problem)
    confinement.filters_for(confinement.machine())
    reasons: list[str] = []
    for launcher in LAUNCHERS:
        try:
            zygote = launch_by(launcher, run)
        except SandboxBroken as error:
            reasons.append(f"{launcher}: {error}")
            continue
        zygote.layers = dataclasses.replace(zygote.layers, refused=tuple(reasons))
        return zygote
    raise SandboxUnavailable(
        f"code can't be confined here, so nothing is run ({'; '.join(reasons)})"
    )


def launch_by(launcher: str, run: str = ROLES) -> Zygote:
    """Start a zygote with this launcher; raises SandboxBroken if that doesn't work."""
    if launcher == "bubblewrap" and shutil.which("bwrap") is None:
        raise SandboxBroken("not installed")
    return Zygote(launcher, run)


def _user_of(pid: int, otherwise: int) -> int:
    """Return a process's user id outside of its namespaces, or `otherwise` if it is unknown."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        # The process has ended, which is noticed elsewhere, or this machine hides processes.
        return otherwise
    (uids,) = (line for line in status.split("\n") if line.startswith("Uid:"))
    return int(uids.split()[2])


def _python(launcher: str, descriptor: int, outside: str, run: str) -> list[str]:
    path, _, name = run.partition(":")
    # The library's hooks after a fork are useless to a child, and write to much memory.
    start = (
        f"import os, sys; os.register_at_fork = lambda **_: None; "
        f"sys.path[:0] = [{str(_ROOT)!r}, {INTERPRETER.packages!r}]; "
        f"from {path} import {name} as run; from {_ZYGOTE} import main; "
        f"main({descriptor:>5}, {launcher!r}, {os.getpid():>10}, {outside!r}, run)"
    )
    return [INTERPRETER.executable, "-s", "-P", "-c", start]


def bubblewrap_command(run: str = ROLES) -> list[str]:
    command = [
        # The full path, because the environment has another PATH.
        shutil.which("bwrap") or "bwrap",
        *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
        *("--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"),
        *("--uid", str(confinement.NOBODY), "--gid", str(confinement.NOBODY)),
        *("--cap-drop", "ALL", "--new-session", "--die-with-parent", "--clearenv"),
        *("--proc", "/proc", "--dev", "/dev", "--chdir", "/"),
    ]
    for name, value in _ENVIRONMENT.items():
        command += ["--setenv", name, value]
    for folder in ("/lib", "/lib32", "/lib64", "/bin", "/sbin"):
        if Path(folder).is_symlink():
            command += ["--symlink", str(Path(folder).readlink()), folder]
        elif Path(folder).is_dir():
            command += ["--ro-bind", folder, folder]
    needed = ["/usr", "/etc/ld.so.cache", *INTERPRETER.folders]
    needed += [str(_ROOT / name) for name in ("runner", "interpreters.py", run.partition(".")[0])]
    for path in dict.fromkeys(needed):
        command += ["--ro-bind-try", path, path]
    return command
