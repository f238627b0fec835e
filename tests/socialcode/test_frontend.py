"""The browser's scripts and styles: built when their sources change, and only then."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from socialcode import frontend


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one small module of its own, and the packages that are installed here."""
    folder = tmp_path / "frontend"
    (folder / "pages").mkdir(parents=True)
    for name in ("package.json", "package-lock.json", "build.mjs"):
        shutil.copy(frontend.FOLDER / name, folder / name)
    (folder / "pages/greeting.js").write_text("export const greeting = 'hello';\n")
    packages = folder / "node_modules"
    packages.mkdir()
    for entry in (*frontend.MODULES.iterdir(),):
        (packages / entry.name).symlink_to(entry)
    monkeypatch.setattr(frontend, "ROOT", tmp_path)
    monkeypatch.setattr(frontend, "FOLDER", folder)
    (folder / "scripts").mkdir()
    (folder / "scripts/stream.js").write_text("export const connect = 1;\n")
    (folder / "styles").mkdir()
    (folder / "styles/main.css").write_text("main { color: red }\n")
    monkeypatch.setattr(frontend, "STAMP", tmp_path / "static/js/sources.sha256")
    monkeypatch.setattr(frontend, "MODULES", packages)
    stamp = packages / "installed.sha256"
    stamp.unlink()
    lock = frontend.digest_of(folder / "package.json", folder / "package-lock.json")
    stamp.write_text(lock, encoding="ascii")
    monkeypatch.setattr(frontend, "MODULES_STAMP", stamp)
    return tmp_path


def test_a_changed_source_is_built_and_an_unchanged_one_is_not(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert frontend.build()
    built = checkout / "static/js/greeting.js"
    assert "hello" in built.read_text()
    assert not frontend.build()
    (checkout / "frontend/pages/greeting.js").write_text("export const greeting = 'good day';\n")
    assert frontend.build()
    assert "good day" in built.read_text()


def test_an_interrupted_build_is_done_again(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    assert frontend.build()
    (checkout / "frontend/pages/greeting.js").write_text("export const greeting = 'later';\n")
    with monkeypatch.context() as patched:
        patched.setattr(subprocess, "run", interrupt)
        assert frontend.main() == 130
    assert frontend.build()
    assert "later" in (checkout / "static/js/greeting.js").read_text()


def test_a_mistake_in_a_source_is_shown_and_not_taken_for_built(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "frontend/pages/greeting.js").write_text("export const = ;\n")
    assert frontend.main() == 1
    assert "greeting.js:1" in capsys.readouterr().err
    assert frontend.main() == 1


def test_without_npm_on_the_machine_the_one_among_the_requirements_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "which", lambda name: None)
        npm, environment = frontend.node_tools()
    said = subprocess.run(
        [*npm, "--version"], env=environment, capture_output=True, text=True, check=True
    )
    assert int(said.stdout.split(".")[0]) >= 9
