"""The key of a program: the same for what is the same, another for everything else."""

import pytest

from runner.programs.program import (
    RuntimeMismatch,
    build_program,
    keys_in_runtime,
    last_module_key_builder,
    make_program,
    module_row,
    program_key,
    source_hash,
)
from runner.sandbox import RUNTIME_VERSION, Limits, Module, Refused

ADD = Module("Add", "def Add(a, b):\n    return a + b\n")
TEST = Module("test", "assert Add(1, 2) == 3\n", ("Add",))


def key(**changes: object) -> bytes:
    wishes = {"modules": [ADD, TEST], "entry": "test", "subject": "Add", **changes}
    return make_program(**wishes).key  # type: ignore[arg-type]


def test_line_ends_make_no_other_program() -> None:
    windows = Module("Add", ADD.source.replace("\n", "\r\n"))
    assert key(modules=[windows, TEST]) == key()
    assert source_hash("a\r\nb\rc") == source_hash("a\nb\nc")


@pytest.mark.parametrize(
    "changes",
    [
        {"modules": [ADD, Module("test", "assert Add(1, 2) == 4\n", ("Add",))]},
        {"modules": [ADD, Module("test", TEST.source)]},
        {"modules": [Module("Other", ""), ADD, TEST]},
        {"entry": "load"},
        {"entry": "call", "arguments": {"args": [1, 2], "kwargs": {}}},
        {"limits": Limits(cpu_ms=1_000)},
        {"limits": Limits(result_bytes=1_000)},
        {"limits": Limits(recursion=2_000)},
        {"kind": "class"},
        {"returns": "int"},
    ],
)
def test_whatever_is_executed_differently_is_another_program(changes: dict[str, object]) -> None:
    assert key(**changes) != key()


def test_programs_have_the_keys_that_they_had_in_older_runtimes() -> None:
    prepared = make_program(modules=[ADD, TEST], entry="test", subject="Add", returns="int")
    assert keys_in_runtime(prepared, RUNTIME_VERSION) == {prepared.key, key()}


def test_a_function_has_the_key_that_it_had_before_there_were_kinds() -> None:
    prepared = make_program(modules=[ADD, TEST], entry="test", subject="Add", kind="function")
    assert "kind" not in prepared.canonical
    assert prepared.key == key()
    rows = [module_row(m.name, source_hash(m.source), m.binds) for m in (ADD, TEST)]
    for kind in ("function", "class"):
        wishes = {"entry": "test", "subject": "Add", "kind": kind}
        assert program_key(rows, **wishes) == key(kind=kind)
        assert last_module_key_builder(rows[:1], **wishes)(rows[1]) == key(kind=kind)
    wishes = {"entry": "test", "subject": "Add", "returns": "int"}
    assert program_key(rows, **wishes) == key(returns="int")
    assert last_module_key_builder(rows[:1], **wishes)(rows[1]) == key(returns="int")


def test_tag_is_no_part_of_the_program() -> None:
    assert key(tag="one") == key(tag="two")


@pytest.mark.parametrize("kind", ["function", "class"])
def test_stored_form_gives_the_same_program_again(kind: str) -> None:
    prepared = make_program(
        modules=[ADD, TEST], entry="test", subject="Add", kind=kind, returns="int"
    )
    texts = {sha256.hex(): text for sha256, text in prepared.sources.items()}
    built = build_program(prepared.key, prepared.canonical, texts)
    assert built.modules == (ADD, TEST)
    assert built.seed == prepared.key
    assert (built.kind, built.returns) == (kind, "int")


def test_what_the_sandbox_could_not_run_is_refused_at_once() -> None:
    for wrong in ({"subject": "Missing"}, {"kind": "picture"}, {"kind": "class", "entry": "call"}):
        with pytest.raises(Refused):
            key(**wrong)


def test_a_program_of_another_python_is_not_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = make_program(modules=[ADD, TEST], entry="test", subject="Add")
    texts = {sha256.hex(): text for sha256, text in prepared.sources.items()}
    monkeypatch.setattr("runner.programs.program.RUNTIME_VERSION", "another")
    assert make_program(modules=[ADD, TEST], entry="test", subject="Add").key != prepared.key
    with pytest.raises(RuntimeMismatch, match="All processes of a site need the same Python"):
        build_program(prepared.key, prepared.canonical, texts)
