"""Ordinary programs: implementations and tests as people write them, and scripts."""

from __future__ import annotations

import platform

import pytest

from runner.sandbox import Module, Program, Verdict
from runner.sandbox.supervisor.pool import Pool
from tests.sandbox.programs.table import Judged, Script, read_tables

# What the border and the language don't do yet.
NOT_YET = frozenset(
    """
    attribute_hooks bank_account_errors calls_bound_by_signature captured_conversation
    command_line_with_exit_codes cooperative_mixins deprecated_spellings event_loop_in_a_thread
    generators_as_results generic_bases_resolved hash_in_threads hooks_at_the_end
    interactive_interpreter inventory_test_case json_of_anything line_counter_with_mock_open
    log_records_in_caplog logs_in_a_test_case meetings_across_zones module_made_in_memory
    namedtuple_from_exec own_source_as_documentation permissions_as_flags
    persistent_ids_and_whitelist profile_of_a_sort protocols_at_run_time receipt_on_stdout
    running_mean_coroutine seeded_experiments shapes_shared_by_dependency
    shop_told_by_mock_managers stack_in_a_test_class stages_of_threads units_registry_metaclass
    variants_by_type_call virtual_subclasses warnings_collected
    """.split()
)
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
def test_programs_run_unchanged(set_pool: Pool, case: Script | Judged) -> None:
    outcome = set_pool.run(program_of(case))
    assert outcome.verdict is Verdict.PASSED, outcome.message
