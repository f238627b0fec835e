"""The table of slow tests names tests that exist."""

import re

from tests.plugins.slow import KEPT, pattern_of
from tests.support.site import ROOT

TEST = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)


def test_every_pattern_decides_about_a_test() -> None:
    deciding = {
        pattern_of(f"{path.relative_to(ROOT)}::{name}")
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in TEST.findall(path.read_text(encoding="utf-8"))
    }
    assert sorted(KEPT.keys() - deciding) == []
