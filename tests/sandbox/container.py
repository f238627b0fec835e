"""Runs a command as a container's default seccomp profile would let it: `container.py COMMAND...`.

What matters here of the profile: no new namespaces, no mounts, no other personality; the rest of
what such a container may do stays allowed, Landlock and its own seccomp filters too. With
`--without NAME` a system call more is refused, for machines that lack other things.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import pyseccomp

from runner.sandbox.jail import kernel

_NAMESPACES = [1 << bit for bit in range(32) if kernel.ALL_NAMESPACES >> bit & 1]
_REFUSED = """
personality unshare setns mount umount2
pivot_root move_mount open_tree fsopen fsconfig fsmount fspick
mount_setattr bpf perf_event_open keyctl add_key request_key userfaultfd io_uring_setup
io_uring_enter io_uring_register init_module finit_module delete_module kexec_load reboot swapon
swapoff acct quotactl open_by_handle_at lookup_dcookie
""".split()
# What an image's root may do; the rest is taken from it.
_CAPABILITIES = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}
_DROP_FROM_BOUNDING_SET = 24
_LAST_CAPABILITY = 40


def enter(without: list[str]) -> None:
    """Be in such a container from now on."""
    if os.geteuid() == 0:
        for capability in set(range(_LAST_CAPABILITY + 1)) - _CAPABILITIES:
            kernel._libc.prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)
    made: Any = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    made.set_attr(pyseccomp.Attr.CTL_NNP, 0 if os.geteuid() == 0 else 1)
    refuse = pyseccomp.ERRNO(errno.EPERM)
    for name in (*_REFUSED, *without):
        made.add_rule(refuse, name)
    for flag in _NAMESPACES:
        made.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    made.load()


def main(arguments: list[str]) -> None:
    without = []
    while arguments[:1] == ["--without"]:
        without.append(arguments[1])
        del arguments[:2]
    enter(without)
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
