"""Wrong implementations that try to pass: none is green, each is red for the right reason."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from runner.sandbox import Limits, Module, Outcome, Program, Verdict
from runner.sandbox.pool import Pool
from tests.sandbox.attacks.table import Group, verdict_groups

GROUPS = verdict_groups()
LIMITS = Limits(cpu_ms=2_000, wall_ms=6_000)
_MARKER = re.compile(r"<<(\w+)>>")


def program_of(group: Group, implementation: str) -> Program:
    """Return the program that tests an implementation of the group's function."""
    sources = {**group.dependencies, group.function: implementation}
    ordered: list[str] = []
    named = (group.function, *_marked(group.test, sources))
    for name in named:
        _add(name, sources, ordered)
    modules = [Module(name, sources[name], _marked(sources[name], sources)) for name in ordered]
    test = Module("test", group.test, tuple(dict.fromkeys(named)))
    return Program(
        (*modules, test),
        "test",
        group.function,
        LIMITS,
        kind=group.kind,
        returns=group.signature.rpartition("->")[2].strip() if "->" in group.signature else "",
    )


def _add(name: str, sources: Mapping[str, str], ordered: list[str]) -> None:
    for other in _marked(sources[name], sources):
        if other != name:
            _add(other, sources, ordered)
    if name not in ordered:
        ordered.append(name)


def _marked(source: str, known: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(_MARKER.findall(source)) if name in known)


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_wrong_implementations_are_red_and_right_ones_green(pool: Pool, group: Group) -> None:
    programs = [(attack, program_of(group, attack.implementation)) for attack in group.attacks]
    wrong = []
    honest = pool.run(program_of(group, group.honest))
    if honest.verdict is not Verdict.PASSED:
        wrong.append(f"the honest one: {honest.verdict}: {honest.message}")
    numbers = dict(enumerate(programs))
    for number, outcome in pool.map((n, program) for n, (_, program) in numbers.items()):
        attack, _ = numbers[number]  # type: ignore[index]
        assert isinstance(outcome, Outcome), attack.name
        is_right = outcome.verdict in attack.verdicts
        is_right = is_right and bool(re.search(attack.reason, outcome.message))
        if not is_right:
            wrong.append(f"{attack.name}: {outcome.verdict}: {outcome.message}")
    assert not wrong, "\n".join(wrong)
