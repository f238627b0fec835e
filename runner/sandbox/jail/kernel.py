"""System calls missing in Python: seccomp, Landlock, namespaces, capabilities."""

from __future__ import annotations

import ctypes
import os
import struct

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_libc.syscall.restype = ctypes.c_long

# Neither stores errno nor releases the GIL, because both write to memory.
_quick_prctl = ctypes.PyDLL(None).prctl

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_GET_SECCOMP = 21
_PR_SET_SECCOMP = 22
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_GET_NO_NEW_PRIVS = 39
_SECCOMP_MODE_FILTER = 2

# The same numbers on x86-64 and aarch64.
_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_RESTRICT_SELF = 446
_LANDLOCK_VERSION = 1
# All file rights by ABI version; the last new one is that for ioctl of version 5.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_FILE_RIGHTS_NOW = (1 << 16) - 1
_NETWORK_RIGHTS = 0b11
_SCOPES = 0b11

_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
# These two and those of control groups, host names, IPC, processes and networks.
ALL_NAMESPACES = 0x7E020000

_ADDR_NO_RANDOMIZE = 0x0040000

_MS_RDONLY_NOSUID_NODEV_NOEXEC = 1 | 2 | 4 | 8
_MS_REC_PRIVATE = 0x4000 | 0x40000
_MNT_DETACH = 2


def _check(returned: int, what: str) -> int:
    if returned < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return returned


def _prctl(option: int, *arguments: int, what: str) -> int:
    padded = [*arguments, *[0] * (4 - len(arguments))]
    return _check(_libc.prctl(option, *padded), what)


def die_with_parent(parent: int) -> None:
    """Have this process killed when the thread that started it ends, or exit if it has ended."""
    _prctl(_PR_SET_PDEATHSIG, 9, what="PR_SET_PDEATHSIG")
    if os.getppid() != parent:
        os._exit(1)


def forbid_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, what="no_new_privs")


def allow_new_privileges() -> None:
    """Try to undo the former, which the kernel always refuses."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 0, what="no_new_privs")


def has_no_new_privileges() -> bool:
    return _prctl(_PR_GET_NO_NEW_PRIVS, what="no_new_privs") == 1


def has_seccomp_filter() -> bool:
    return _prctl(_PR_GET_SECCOMP, what="PR_GET_SECCOMP") == _SECCOMP_MODE_FILTER


def set_dumpable(dumpable: bool) -> None:
    """Set whether other processes of the user may trace this one and read its memory."""
    _prctl(_PR_SET_DUMPABLE, int(dumpable), what="PR_SET_DUMPABLE")


class SeccompFilter:
    """A BPF program, prepared so that loading it is a single system call."""

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    def __init__(self, instructions: bytes) -> None:
        self._buffer = ctypes.create_string_buffer(instructions, len(instructions))
        self._program = self._Program(len(instructions) // 8, ctypes.addressof(self._buffer))
        self._address = ctypes.addressof(self._program)
        address = ctypes.c_ulong(self._address)
        self._loading = (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, address, 0, 0)

    def load(self) -> None:
        # Everything is prepared, because a forked process copies each page that it writes to.
        if _quick_prctl(*self._loading):
            _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, self._address, what="seccomp")


def landlock_version() -> int:
    """Return the kernel's Landlock ABI version; 0 without Landlock."""
    size = ctypes.c_size_t(0)
    return max(int(_libc.syscall(_LANDLOCK_CREATE_RULESET, None, size, _LANDLOCK_VERSION)), 0)


def deny_all_files_and_network() -> int:
    """Deny all files, TCP ports and foreign signals with Landlock; return the ABI version."""
    version = landlock_version()
    if not version:
        return 0
    fields = [_FILE_RIGHTS.get(version, _FILE_RIGHTS_NOW)]
    fields += [_NETWORK_RIGHTS] if version >= 4 else []
    fields += [_SCOPES] if version >= 6 else []
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    size = ctypes.c_size_t(len(attributes))
    made = _libc.syscall(_LANDLOCK_CREATE_RULESET, attributes, size, 0)
    ruleset = _check(made, "landlock_create_ruleset")
    try:
        _check(_libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    finally:
        os.close(ruleset)
    return version


def keep_addresses() -> bool:
    """Turn off address randomisation for processes that this thread starts, if that is allowed.

    Hashes of `None`, classes and functions depend on addresses, and the order of sets on hashes.
    """
    return bool(_libc.personality(ctypes.c_ulong(_ADDR_NO_RANDOMIZE)) >= 0)


def keeps_addresses() -> bool:
    """Return whether addresses of this process are not randomised."""
    persona = int(_libc.personality(ctypes.c_ulong(0xFFFFFFFF)))
    return persona >= 0 and bool(persona & _ADDR_NO_RANDOMIZE)


def unshare(flags: int) -> None:
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def enter_empty_root() -> None:
    """Change the root to an empty read-only folder; needs a mount namespace of its own."""
    _check(_libc.mount(None, b"/", None, ctypes.c_ulong(_MS_REC_PRIVATE), None), "mount /")
    flags = ctypes.c_ulong(_MS_RDONLY_NOSUID_NODEV_NOEXEC)
    # Any folder can serve as the mount point; this one exists everywhere.
    _check(_libc.mount(b"none", b"/proc", b"tmpfs", flags, b"size=4k"), "mount tmpfs")
    os.chdir("/proc")
    _check(_libc.pivot_root(b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", ctypes.c_int(_MNT_DETACH)), "umount2")
    os.chdir("/")


def drop_capabilities() -> None:
    """Drop all capabilities, also from the bounding set."""
    for capability in range(_LAST_CAPABILITY + 1):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            # Beyond the kernel's last capability, or not permitted without capabilities.
            break
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, bytes(24)), "capset")
