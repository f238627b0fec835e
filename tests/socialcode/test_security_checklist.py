"""The checklist of ASVS names files that exist, and the whole of each chapter."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STATES = {"met", "partly", "operator", "open", "none"}
CHAPTERS = 16  # the last, on WebRTC, is about nothing here


def rows() -> list[list[str]]:
    text = (ROOT / "docs/security.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if re.match(r"\| \d", line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_each_point_has_a_state_and_one_that_is_met_says_where() -> None:
    assert {row[2] for row in rows()} <= STATES
    without = [row[0] for row in rows() if row[2] in ("partly", "operator") and not row[3]]
    assert without == []
    assert {row[0].partition(".")[0] for row in rows()} == {str(n + 1) for n in range(CHAPTERS)}


def test_files_named_there_exist() -> None:
    named = {path for row in rows() for path in re.findall(r"`([\w/.-]+/[\w/.-]*)`", row[3])}
    named -= {"/metrics"}
    assert len(named) > 15
    assert {path for path in named if not (ROOT / path).exists()} == set()
