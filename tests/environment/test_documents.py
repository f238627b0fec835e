"""What the pages for readers point at is there."""

import re
from pathlib import Path

import pytest

from runner.operations.versions import OLDEST_POSTGRESQL

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_within_the_project_leads_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text(encoding="utf-8"))
    within = [target for target in targets if "://" not in target and not target.startswith("/")]
    assert [target for target in within if not (document.parent / target).exists()] == []


def test_every_target_of_make_that_is_shown_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    known = set(re.findall(r"(?m)^([a-z-]+):", makefile))
    known |= {f"bench-{path.stem}" for path in (ROOT / "benchmarks").glob("*.py")}
    shown = {
        target
        for document in DOCUMENTS
        for target in re.findall(r"(?m)(?:^ {4}|`)make ([a-z-]+)", document.read_text("utf-8"))
    }
    assert {"run", "test", "check"} <= shown
    assert shown - known == set()


def test_the_oldest_postgresql_is_the_one_that_is_refused_below() -> None:
    operations = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    assert re.findall(r"PostgreSQL (\d+) or newer", operations) == [str(OLDEST_POSTGRESQL)]


FILE = re.compile(r"[\w./-]+(?:/|\.(?:py|js|html|css|md))")
# Names that a change described there would add.
TO_BE_ADDED = {"weight", "KILLED", "killed", "PINNED", "UNPINNED"}


def guide_to_changes() -> list[str]:
    """Return the rows, steps and paragraphs that say where something is changed."""
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    _, _, guide = text.partition("## Where do I change ...?")
    return [" ".join(part.split()) for part in re.split(r"\n\n|\n(?=\||\d+\. )", guide)]


def sources_named(part: str) -> tuple[set[Path], list[str]]:
    """Return the sources whose paths are in this part, and the paths that lead nowhere.

    A path may be relative to a folder of any that was named before.
    """
    sources: set[Path] = set()
    lost: list[str] = []
    bases = [ROOT]
    for path in [each for each in re.findall(r"`([^`]+)`", part) if FILE.fullmatch(each)]:
        found = next((base / path for base in bases if (base / path).exists()), None)
        if found is None:
            lost.append(path)
            continue
        inside = found.rglob("*.*") if found.is_dir() else [found]
        sources |= {each for each in inside if each.suffix != ".pyc"}
        bases = [found, *found.parents[: len(found.relative_to(ROOT).parts)], *bases]
    return sources, lost


def test_what_is_to_be_changed_is_in_the_files_named_beside_it() -> None:
    wrong: dict[str, list[str]] = {}
    for part in guide_to_changes():
        sources, lost = sources_named(part)
        if sources or lost:
            text = "".join(source.read_text("utf-8") for source in sources if source.is_file())
            quoted = [each for each in re.findall(r"`([^`]+)`", part) if not FILE.fullmatch(each)]
            names = {
                name
                for each in quoted
                if "<" not in each and not each.startswith(("make ", "manage.py ", ".venv/"))
                for name in re.findall(r"[A-Za-z_]\w{3,}", each)
            }
            known = {*TO_BE_ADDED, *(path.name for path in ROOT.iterdir() if path.is_dir())}
            absent = sorted(name for name in names - known if name not in text)
            if lost or absent:
                wrong[part[:60]] = [*lost, *absent]
    assert wrong == {}
