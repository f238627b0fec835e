"""System calls that Python doesn't offer: seccomp, Landlock, namespaces, capabilities."""

from __future__ import annotations

import ctypes
import os
import struct

_libc = ctypes.CDLL(None, use_errno=True)
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_libc.syscall.restype = ctypes.c_long

# Doesn't ask what failed, nor lets another thread run meanwhile: both write to memory.
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
# Every file right of an ABI version; version 6 and later bring no new ones but ioctl's of 5.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_FILE_RIGHTS_NOW = (1 << 16) - 1
_NETWORK_RIGHTS = 0b11
_SCOPES = 0b11

_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
# These and those of control groups, host names, IPC, processes and networks.
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
    """Be killed when the thread that started this process ends, even if it has ended already."""
    _prctl(_PR_SET_PDEATHSIG, 9, what="PR_SET_PDEATHSIG")
    if os.getppid() != parent:
        os._exit(1)


def forbid_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1, what="no_new_privs")


def has_no_new_privileges() -> bool:
    return _prctl(_PR_GET_NO_NEW_PRIVS, what="no_new_privs") == 1


def has_seccomp_filter() -> bool:
    return _prctl(_PR_GET_SECCOMP, what="PR_GET_SECCOMP") == _SECCOMP_MODE_FILTER


def set_dumpable(dumpable: bool) -> None:
    """An undumpable process can't be traced by others of its user, nor can its memory be read."""
    _prctl(_PR_SET_DUMPABLE, int(dumpable), what="PR_SET_DUMPABLE")


class SeccompFilter:
    """A BPF program, made ready once so that loading it is a single system call."""

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    def __init__(self, instructions: bytes) -> None:
        self._buffer = ctypes.create_string_buffer(instructions, len(instructions))
        self._program = self._Program(len(instructions) // 8, ctypes.addressof(self._buffer))
        self._address = ctypes.addressof(self._program)
        address = ctypes.c_ulong(self._address)
        self._loading = (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, address, 0, 0)

    def load(self) -> None:
        # Everything is ready: what a forked process touches first is copied first.
        if _quick_prctl(*self._loading):
            _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, self._address, what="seccomp")


def landlock_version() -> int:
    """The kernel's Landlock ABI, 0 where there is none."""
    size = ctypes.c_size_t(0)
    return max(int(_libc.syscall(_LANDLOCK_CREATE_RULESET, None, size, _LANDLOCK_VERSION)), 0)


def deny_all_files_and_network() -> int:
    """Landlock without a single rule: no file, TCP port, foreign signal; gives the ABI version."""
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
    """Give what this thread starts the same addresses every time, if that is allowed.

    The hash of `None`, of a class or a function is made of its address, and the order of a set of
    the hashes.
    """
    return bool(_libc.personality(ctypes.c_ulong(_ADDR_NO_RANDOMIZE)) >= 0)


def unshare(flags: int) -> None:
    _check(_libc.unshare(ctypes.c_int(flags)), "unshare")


def enter_empty_root() -> None:
    """In a mount namespace of one's own: leave every file behind for an empty read-only folder."""
    _check(_libc.mount(None, b"/", None, ctypes.c_ulong(_MS_REC_PRIVATE), None), "mount /")
    flags = ctypes.c_ulong(_MS_RDONLY_NOSUID_NODEV_NOEXEC)
    # Any folder will do to be covered for a moment; this one is everywhere.
    _check(_libc.mount(b"none", b"/proc", b"tmpfs", flags, b"size=4k"), "mount tmpfs")
    os.chdir("/proc")
    _check(_libc.pivot_root(b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", ctypes.c_int(_MNT_DETACH)), "umount2")
    os.chdir("/")


def drop_capabilities() -> None:
    """Give up every capability, and the way to get one back."""
    for capability in range(_LAST_CAPABILITY + 1):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            # Past the last one that this kernel knows, or not allowed to, having none.
            break
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    _check(_libc.capset(header, bytes(24)), "capset")
