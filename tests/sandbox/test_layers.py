"""One layer at a time: what each of them stops while all the others are off."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from runner.sandbox import Limits, Outcome, Pool, SandboxUnavailable, Verdict
from runner.sandbox.jail.kernel import landlock_version
from runner.sandbox.supervisor import launcher as launching
from runner.sandbox.supervisor.prefork import Prefork
from tests.sandbox.alone import LAYERS
from tests.sandbox.conftest import program_alone

# In one process, as they share the pools of all layers.
pytestmark = pytest.mark.xdist_group("layers")

IS_ROOT = os.getuid() == 0
NOBODY = 65_534

ALL = frozenset(
    {
        "read a file",
        "create a file",
        "see processes",
        "connect over TCP",
        "connect to a local socket",
        "signal a process",
        "execute a program",
        "fork",
        "take memory",
        "make machine code",
    }
)
FILES = {"read a file", "create a file", "see processes", "execute a program"}
OUTSIDE = {"connect over TCP", "connect to a local socket", "signal a process"}
STOPPED = {
    "none": set(),
    "no_new_privileges": set(),
    "landlock": FILES | OUTSIDE,
    "seccomp": ALL - {"take memory"},
    "limits": {"take memory"},
    "empty_root": FILES,
    "namespaces": FILES | OUTSIDE,
}


@dataclass(frozen=True)
class Outside:
    """What there is on the host that a program might reach."""

    folder: Path
    port: int
    local: str
    victim: int

    @property
    def probes(self) -> dict[str, str]:
        run = "os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)"
        return {
            "read a file": "os.open('/etc/passwd', os.O_RDONLY)",
            "create a file": f"os.open('{self.folder}/made', os.O_CREAT | os.O_RDWR)",
            "see processes": "os.listdir('/proc')",
            "connect over TCP": f"socket.socket().connect(('127.0.0.1', {self.port}))",
            "connect to a local socket": f"socket.socket(1).connect({self.local!r})",
            "signal a process": f"os.kill({self.victim}, 0)",
            "execute a program": run,
            "fork": "os.fork() or os._exit(0)",
            "take memory": "bytes(1 << 30)",
            "make machine code": "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)",
        }


@pytest.fixture(scope="module")
def outside() -> Iterator[Outside]:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o777)
        over_tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        local = stack.enter_context(socket.socket(socket.AF_UNIX))
        local.bind(f"\0{folder}")
        local.listen()
        victim = subprocess.Popen(["/bin/sleep", "600"], user=NOBODY if IS_ROOT else None)
        stack.callback(victim.wait)
        stack.callback(victim.kill)
        yield Outside(folder, over_tcp.getsockname()[1], f"\0{folder}", victim.pid)


Alone = Callable[[str], Pool]


@pytest.fixture(scope="module")
def alone() -> Iterator[Alone]:
    """Pools in which only this layer holds."""
    pools: dict[str, Pool] = {}

    def make(layer: str) -> Pool:
        if layer not in pools:
            launcher = "namespaces" if layer == "namespaces" else "bare"
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(launching, "LAUNCHERS", (launcher,))
                try:
                    prefork = Prefork(ahead=1, run=f"tests.sandbox.alone:{layer}")
                except SandboxUnavailable as unavailable:
                    pytest.skip(str(unavailable))
            pools[layer] = Pool(prefork=prefork)
        return pools[layer]

    yield make
    for pool in pools.values():
        pool.close()


def run(pool: Pool, code: str, limits: Limits | None = None) -> Outcome:
    return pool.run(program_alone(code, limits=limits))


def stopped_by(pool: Pool, probes: dict[str, str]) -> set[str]:
    code = "".join(
        f"values[{name!r}] = attempt(lambda: {act})\nos.closerange(4, 64)\n"
        for name, act in probes.items()
    )
    outcome = run(pool, code)
    assert outcome.verdict is Verdict.PASSED, outcome.message
    assert set(outcome.value) == set(probes)
    return {name for name, answer in outcome.value.items() if answer != "allowed"}


def test_every_layer_is_tried_alone() -> None:
    assert set(STOPPED) == LAYERS


@pytest.mark.parametrize("layer", STOPPED)
def test_a_layer_alone_stops_what_it_is_for(alone: Alone, outside: Outside, layer: str) -> None:
    if layer == "landlock" and landlock_version() < 6:
        pytest.skip("this kernel has no Landlock, or one that doesn't know of signals")
    if layer == "empty_root" and not IS_ROOT:
        pytest.skip("only root may change the root folder without namespaces")
    assert set(outside.probes) == ALL
    assert stopped_by(alone(layer), outside.probes) == STOPPED[layer]


@pytest.mark.skipif(not IS_ROOT, reason="only root can make a program that makes root of others")
def test_no_new_privileges_alone_keeps_programs_from_becoming_root(
    alone: Alone, outside: Outside
) -> None:
    raising = outside.folder / "touch"
    shutil.copy("/bin/touch", raising)
    raising.chmod(0o4755)
    code = "os.waitpid(os.posix_spawn('{0}/touch', ['touch', '{0}/{1}'], {{}}), 0)"
    owners = {}
    for layer in ("none", "no_new_privileges"):
        assert run(alone(layer), code.format(outside.folder, layer)).verdict is Verdict.PASSED
        owners[layer] = (outside.folder / layer).stat().st_uid
    if owners["none"] != 0:
        pytest.skip("this machine's temporary folder makes root of nobody")
    assert owners["no_new_privileges"] == NOBODY


def test_limits_alone_end_computing_writing_and_growing(alone: Alone, outside: Outside) -> None:
    pool = alone("limits")
    outcome = run(pool, "while True: pass", Limits(cpu_ms=100))
    assert outcome.verdict is Verdict.TIME_LIMIT
    assert outcome.cpu_us < 1_000_000
    path = outside.folder / "written"
    written = f"os.write(os.open('{path}', os.O_CREAT | os.O_RDWR), b'x')"
    assert "File too large" in run(pool, written).message
    assert path.read_bytes() == b""
    assert run(pool, "x = []\nwhile True: x.append(bytes(1 << 20))").verdict in (
        Verdict.MEMORY_LIMIT,
        Verdict.ERROR,
    )


def test_the_clock_ends_a_program_that_nothing_else_stops(alone: Alone) -> None:
    outcome = run(alone("none"), "while True: pass", Limits(wall_ms=300))
    assert outcome.verdict is Verdict.TIME_LIMIT
    assert 290_000 < outcome.wall_us < 2_300_000


@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is no other such machine")
def test_the_old_way_into_the_kernel_is_closed(bare_pool: Pool) -> None:
    outcome = run(bare_pool, "values['pid'] = interrupt(20)")
    assert outcome.verdict in (Verdict.POLICY, Verdict.CRASHED)
    assert outcome.value is None


def test_a_layer_that_only_claims_to_hold_is_found_out() -> None:
    with pytest.raises(SandboxUnavailable, match="confinement doesn't hold: a child could"):
        launching.launch(run="tests.sandbox.pretending:run_bare")
