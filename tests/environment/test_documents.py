"""What the pages for readers point at is there."""

import re
from pathlib import Path

import pytest

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
