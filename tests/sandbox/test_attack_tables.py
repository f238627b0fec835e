"""The tables of attacks can be read, are consistent, and their honest implementations are right."""

from __future__ import annotations

import ast
import builtins
import json
import re
import subprocess
import sys
from pathlib import Path

from tests.sandbox.attacks import plain
from tests.sandbox.attacks.table import HOST_NAMES, WRONG, host_attacks, verdict_groups

ROOT = Path(__file__).resolve().parents[2]
GROUPS = verdict_groups()
HOST_ATTACKS = host_attacks()
MARKER = re.compile(r"#.*<<(\w+)>>")


def test_there_are_many_attacks_under_names_of_their_own() -> None:
    names = [attack.name for group in GROUPS for attack in group.attacks]
    assert len(names) >= 150
    assert len(set(names)) == len(names)
    assert len({group.name for group in GROUPS}) == len(GROUPS)
    assert len(HOST_ATTACKS) >= 60
    assert len({(a.category, a.name) for a in HOST_ATTACKS}) == len(HOST_ATTACKS)


def test_attacks_say_how_they_end_and_why() -> None:
    for attack in (*(a for group in GROUPS for a in group.attacks),):
        assert attack.verdicts, attack.name
        assert attack.verdicts <= WRONG, attack.name
        assert attack.why.endswith("."), attack.name
        re.compile(attack.reason)
    for host_attack in HOST_ATTACKS:
        assert host_attack.verdicts, host_attack.name
        assert host_attack.verdicts <= WRONG | {"passed"}, host_attack.name
        assert host_attack.why.endswith("."), host_attack.name


def test_groups_are_whole() -> None:
    for group in GROUPS:
        assert group.kind in ("function", "class"), group.name
        assert group.signature.startswith(f"{group.function}("), group.name
        assert group.attacks, group.name
        assert group.function in names_defined_by(group.honest), group.name
        for source in (group.test, group.honest, *group.dependencies.values()):
            marked = {*MARKER.findall(source)}
            assert marked <= {*group.dependencies, group.function}, group.name
        for name, source in group.dependencies.items():
            assert name in names_defined_by(source), (group.name, name)


def test_sources_can_be_parsed_and_attacks_are_not_honest() -> None:
    for group in GROUPS:
        for source in (group.test, *group.dependencies.values()):
            ast.parse(source)
        honest = ast.dump(ast.parse(group.honest))
        for attack in group.attacks:
            assert ast.dump(ast.parse(attack.implementation)) != honest, attack.name


def test_attacks_on_the_host_use_the_names_that_there_are() -> None:
    for attack in HOST_ATTACKS:
        names = [node for node in ast.walk(ast.parse(attack.source)) if isinstance(node, ast.Name)]
        bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        bound |= names_defined_by(attack.source) | parameters_of(attack.source)
        read = {node.id for node in names} - bound - vars(builtins).keys()
        assert read <= HOST_NAMES, (attack.name, read - HOST_NAMES)


def names_defined_by(source: str) -> set[str]:
    return {
        name
        for node in ast.walk(ast.parse(source))
        for name in (
            [node.name]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            else [node.name or ""]
            if isinstance(node, ast.ExceptHandler)
            else []
        )
    }


def parameters_of(source: str) -> set[str]:
    return {node.arg for node in ast.walk(ast.parse(source)) if isinstance(node, ast.arg)}


def test_honest_implementations_pass_in_plain_python() -> None:
    programs = [
        [group.name, group.function, group.honest, group.test, dict(group.dependencies)]
        for group in GROUPS
    ]
    done = subprocess.run(
        [sys.executable, "-m", plain.__name__],
        cwd=ROOT,
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}
