"""Starts child processes that always end with their parent."""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from socialcode.embedded import launcher
from socialcode.embedded.failures import EngineFailed

STOP_TIMEOUT_SECONDS = 10


def command_line(
    command: Sequence[str | Path], *, death_signal: signal.Signals, identity: str
) -> list[str]:
    """Prefix a command so that the kernel sends it the signal when this process ends."""
    return [
        sys.executable,
        "-I",
        "-S",
        launcher.__file__,
        str(os.getpid()),
        str(int(death_signal)),
        identity,
        *(str(word) for word in command),
    ]


def start_child(
    command: Sequence[str | Path],
    *,
    death_signal: signal.Signals = signal.SIGKILL,
    identity: str = launcher.AS_IS,
    log: Path | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own, which a terminal's Ctrl-C doesn't reach.

    Call it from the main thread, because the kernel sends the death signal when the starting
    *thread* ends.
    """
    with contextlib.ExitStack() as files:
        output = files.enter_context(log.open("ab")) if log else None
        return subprocess.Popen(
            command_line(command, death_signal=death_signal, identity=identity),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            cwd=folder,
            env=environment,
            start_new_session=True,
            pass_fds=pass_fds,
        )


def stop_child(child: subprocess.Popen[bytes], stop_signal: signal.Signals) -> None:
    """Send the signal to a program and wait for its end; kill it after STOP_TIMEOUT_SECONDS."""
    if child.poll() is None:
        child.send_signal(stop_signal)
    try:
        child.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def unprivileged_identity() -> str:
    """Return the identity to run PostgreSQL with, which refuses to run as root.

    Raises EngineFailed if there is none.
    """
    if os.geteuid() != 0:
        return launcher.AS_IS
    true = shutil.which("true") or "/bin/true"
    for identity in (launcher.USER_NAMESPACE, launcher.NOBODY):
        probe = command_line([true], death_signal=signal.SIGKILL, identity=identity)
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return identity
    raise EngineFailed(
        "PostgreSQL refuses to run as root, and this machine allows neither a user namespace nor"
        " a change to the user nobody. Start as an ordinary user, or point DATABASE_URL at a"
        " running PostgreSQL."
    )


def give_to(folder: Path, identity: str) -> None:
    """Change the owner of a folder and its content to an identity; does nothing if not root."""
    if os.geteuid() != 0:
        return
    account = pwd.getpwnam("nobody" if identity == launcher.NOBODY else "root")
    if folder.stat().st_uid == account.pw_uid:
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)
