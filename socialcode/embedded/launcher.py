"""Executes a program that ends with its parent; run by path, with only the standard library.

    python -I -S launcher.py PARENT SIGNAL IDENTITY PROGRAM [ARGUMENT...]

The kernel clears the parent-death signal when a process changes its credentials, so the order
matters: first the identity, then the signal, then a check that the parent is still running.
"""

import ctypes
import os
import pwd
import sys
from pathlib import Path

CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
PR_SET_KEEPCAPS = 8
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
CAPABILITY_VERSION_3 = 0x20080522
CAP_DAC_OVERRIDE = 1
# The user id that PostgreSQL sees instead of root's; any but 0.
UNPRIVILEGED_ID = 1000

AS_IS = "as-is"
USER_NAMESPACE = "user-namespace"
NOBODY = "nobody"

libc = ctypes.CDLL(None, use_errno=True)


def _require(result: int, call: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{call}: {os.strerror(code)}")


def enter_user_namespace() -> None:
    """Enter a namespace in which root appears as an ordinary user, and still owns its files."""
    uid, gid = os.geteuid(), os.getegid()
    _require(libc.unshare(CLONE_NEWUSER), "unshare")
    for name, line in (
        ("setgroups", "deny"),
        ("gid_map", f"{UNPRIVILEGED_ID} {gid} 1"),
        ("uid_map", f"{UNPRIVILEGED_ID} {uid} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(line, encoding="ascii")


def become_nobody() -> None:
    """Switch to the user `nobody`, keeping only the right to access root's files.

    This right is needed for programs and files in a checkout below /root.
    """
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setresgid(nobody.pw_gid, nobody.pw_gid, nobody.pw_gid)
    _require(libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "prctl")
    os.setresuid(nobody.pw_uid, nobody.pw_uid, nobody.pw_uid)
    mask = 1 << CAP_DAC_OVERRIDE
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)
    _require(libc.capset(header, sets), "capset")
    raised = libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE, 0, 0)
    _require(raised, "prctl")


def main(arguments: list[str]) -> None:
    """Assume the identity, tie this process to its parent, and execute the program."""
    parent, death_signal, identity, *command = arguments
    if identity == USER_NAMESPACE:
        enter_user_namespace()
    elif identity == NOBODY:
        become_nobody()
    _require(libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0), "prctl")
    if os.getppid() != int(parent):
        sys.exit("launcher: the parent process has ended")
    os.execv(command[0], command)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as error:
        sys.exit(f"launcher: {error}")
