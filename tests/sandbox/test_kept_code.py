"""What one sandbox has compiled for all others is taken by the next, as long as it is right."""

import marshal
from pathlib import Path

import pytest

from runner.sandbox.standins import arguments


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keep it in a folder of the test; return what was compiled, each time once more."""
    sources: list[str] = []

    def compile_here(source: str) -> bytes:
        sources.append(source)
        return marshal.dumps(arguments._compiled(source))

    monkeypatch.setattr(arguments, "_KEPT", tmp_path / "kept")
    monkeypatch.setattr(arguments, "_compiled_elsewhere", compile_here)
    return sources


def test_it_is_compiled_once_and_anew_when_it_is_spoiled_or_of_another_runtime(
    compiled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    code = arguments._code()
    assert arguments._code() == code
    assert len(compiled) == 1
    whole = kept.read_bytes()
    for number, spoiled in enumerate((b"", whole[:-1], whole[:100] + b"?" + whole[101:]), start=2):
        kept.write_bytes(spoiled)
        assert arguments._code() == arguments._code() == code
        assert len(compiled) == number
    monkeypatch.setattr(arguments, "RUNTIME_VERSION", "another")
    assert arguments._code() == code
    assert len(compiled) == 5


def test_where_nothing_can_be_kept_each_compiles_it(
    compiled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arguments, "_KEPT", tmp_path / "nowhere" / "kept")
    assert arguments._code() == arguments._code()
    assert len(compiled) == 2
    assert list(tmp_path.iterdir()) == []
