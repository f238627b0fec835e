"""The allowed system calls: seccomp filters as policy, built with libseccomp.

The filter "zygote" allows what a computing interpreter needs, and the few calls for forking and
confining children. Each child adds the small filter "member", which takes these few away, before it
gets its program.

The built filters are stored as bytes in `filters_generated.py`, so that running needs no
libseccomp. `python -m runner.sandbox.jail.filters` builds them again, and a test compares.
"""

from __future__ import annotations

import errno
import os
import platform
from base64 import b64encode
from pathlib import Path
from typing import Any

import pyseccomp

PIPE = 3  # A child's pipe to its supervisor.
BORDERS = (4, 5)  # Its pipes to other processes of the same run.
_PROT_EXEC = 4
# CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | SIGCHLD: a fork by libc, not a thread.
_FORK = 0x01200011
# CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
# CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID: a thread by libc.
_THREAD = 0x003D0F00
# The calls at the start of a thread.
_OF_THREADS = ("set_robust_list", "rseq")

# For a computing interpreter; none of these reaches beyond its own memory and limits, which it can
# only lower.
_COMPUTING = """
munmap mremap brk madvise futex rt_sigreturn rt_sigprocmask sigaltstack exit exit_group
clock_gettime clock_getres clock_nanosleep nanosleep getrandom getpid gettid getppid sched_yield
restart_syscall gettimeofday time getrusage poll ppoll
""".split()

# For forking and confining children, which lose these calls by the filter "member".
_FORKING = """
recvmsg sendmsg sendto wait4 waitid pidfd_open close close_range dup2 dup3 rt_sigaction
setrlimit set_robust_list rseq geteuid seccomp
""".split()
# PR_SET_PDEATHSIG, PR_GET_SECCOMP, PR_SET_SECCOMP, PR_GET_NO_NEW_PRIVS.
_PROCESS_CONTROLS = (1, 21, 22, 39)

# Only attacks make these calls. The process is killed, so that the attempt is reported.
_ATTACKS = """
execve execveat ptrace process_vm_readv process_vm_writev bpf perf_event_open keyctl add_key
request_key userfaultfd io_uring_setup io_uring_enter io_uring_register mount umount2 pivot_root
chroot setns unshare init_module finit_module delete_module kexec_load kexec_file_load
open_by_handle_at name_to_handle_at fsopen fsmount fsconfig fspick move_mount open_tree
mount_setattr kcmp pidfd_getfd modify_ldt personality iopl ioperm swapon swapoff reboot acct
quotactl lookup_dcookie vmsplice
""".split()

MACHINES = {"x86_64": "X86_64", "aarch64": "AARCH64"}


NAMES = ("zygote", "member")
_GENERATED = Path(__file__).with_name("filters_generated.py")


def build(name: str, machine: str) -> bytes:
    """Build the filter of this name for a machine; return BPF instructions."""
    fill, default = {
        "zygote": (_fill_zygote, pyseccomp.ERRNO(errno.EPERM)),
        "member": (_fill_member, pyseccomp.ALLOW),
    }[name]
    made = pyseccomp.SyscallFilter(default)
    made.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    _set_machine(made, machine)
    fill(made)
    with os.fdopen(os.memfd_create("filter"), "w+b") as exported:
        made.export_bpf(exported)
        exported.seek(0)
        return exported.read()


def _set_machine(made: Any, machine: str) -> None:
    """Set the machine; must be called before rules are added, because they are made for it."""
    wanted = getattr(pyseccomp.Arch, MACHINES[machine])
    native = getattr(pyseccomp.Arch, MACHINES[platform.machine()])
    if wanted != native:
        made.add_arch(wanted)
        made.remove_arch(native)


def _fill_zygote(made: Any) -> None:
    equal, masked, argument = pyseccomp.EQ, pyseccomp.MASKED_EQ, pyseccomp.Arg
    for name in (*_COMPUTING, *_FORKING):
        made.add_rule(pyseccomp.ALLOW, name)
    made.add_rule(pyseccomp.ALLOW, "clone", argument(0, equal, _FORK))
    made.add_rule(pyseccomp.ALLOW, "clone", argument(0, equal, _THREAD))
    for name in ("read", "write"):
        for descriptor in (PIPE, *BORDERS):
            made.add_rule(pyseccomp.ALLOW, name, argument(0, equal, descriptor))
    for name in ("mmap", "mprotect"):
        made.add_rule(pyseccomp.ALLOW, name, argument(2, masked, _PROT_EXEC, 0))
    made.add_rule(pyseccomp.ALLOW, "prlimit64", argument(0, equal, 0))
    for control in _PROCESS_CONTROLS:
        made.add_rule(pyseccomp.ALLOW, "prctl", argument(0, equal, control))
    # Its flags are behind a pointer, which a filter can't read; libc falls back to clone.
    made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    for name in _ATTACKS:
        made.add_rule(pyseccomp.KILL_PROCESS, name)


def _fill_member(made: Any) -> None:
    """Add the rules for a child, which may have threads and receives pipes over the first one."""
    unequal, refused = pyseccomp.NE, pyseccomp.ERRNO(errno.EPERM)
    for name in (*_FORKING, "prctl"):
        if name not in _OF_THREADS and name != "recvmsg":
            made.add_rule(refused, name)
    made.add_rule(refused, "recvmsg", pyseccomp.Arg(0, unequal, PIPE))
    made.add_rule(refused, "clone", pyseccomp.Arg(0, unequal, _THREAD))


def generate() -> str:
    """Return the text of `filters_generated.py`."""
    lines = [
        '"""Built by `python -m runner.sandbox.jail.filters`; not edited by hand."""',
        "",
        "from base64 import b64decode",
        "",
        "FILTERS: dict[str, dict[str, bytes]] = {",
    ]
    for machine in MACHINES:
        lines.append(f'    "{machine}": {{')
        for name in NAMES:
            text = b64encode(build(name, machine)).decode("ascii")
            lines.append(f'        "{name}": b64decode(')
            lines.extend(f'            "{text[i : i + 84]}"' for i in range(0, len(text), 84))
            lines.append("        ),")
        lines.append("    },")
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    _GENERATED.write_text(generate(), encoding="ascii")
