"""Attacks on the host by plain Python: the kernel alone keeps them within their process."""

from __future__ import annotations

import platform

import pytest

from runner.sandbox import Limits, Module, Program
from runner.sandbox.pool import Pool
from tests.sandbox.attacks.table import HostAttack, host_attacks

TIGHT = Limits(cpu_ms=1_000, wall_ms=3_000)
ATTACKS = [attack for attack in host_attacks() if attack.machine in ("", platform.machine())]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_nothing_is_reached(bare_pool: Pool, attack: HostAttack) -> None:
    assert not reached_by(attack, bare_pool)
    assert bare_pool.run(_alone("values['well'] = True")).value == {"well": True}


def reached_by(attack: HostAttack, pool: Pool) -> str:
    """Return what an attack has got at outside of its process, or ""."""
    outcome = pool.run(_alone(attack.source))
    assert outcome.verdict in attack.verdicts, outcome
    reached: str = (outcome.value or {}).get("reached", "")
    return reached


def _alone(source: str) -> Program:
    return Program((Module("F", source),), "script", "F", TIGHT)
