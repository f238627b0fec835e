"""Ordinary programs: implementations and tests as people write them, and scripts."""

from __future__ import annotations

import platform

import pytest

from runner.sandbox import Module, Program, Verdict
from runner.sandbox.pool import Pool
from tests.sandbox.programs.table import Judged, Script, read_tables

# A list that is reached as an attribute of an object of the implementation's is a copy.
NOT_YET = frozenset({"inventory_test_case"})
PROGRAMS = [
    program
    for program in read_tables()
    if program.name not in NOT_YET and platform.python_version() not in program.not_on
]


def program_of(case: Script | Judged) -> Program:
    """Return what the sandbox runs."""
    if isinstance(case, Script):
        return Program((Module("main", case.source),), "script", "main")
    modules = [
        Module(name, source, tuple(each for each in case.named_by(source) if each != name))
        for name, source in case.dependencies.items()
    ]
    subject = Module(case.function, case.implementation, (*case.named_by(case.implementation),))
    binds = (*dict.fromkeys((case.function, *case.named_by(case.test))),)
    test = Module("test", case.test, binds)
    return Program((*modules, subject, test), "test", case.function, kind=case.kind)


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_programs_run_unchanged(pool: Pool, case: Script | Judged) -> None:
    outcome = pool.run(program_of(case))
    assert outcome.verdict is Verdict.PASSED, outcome.message
