"""What is installed is what was pinned, from wherever it comes."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("name", "fewest"),
    [("requirements-sandbox.txt", 10), ("requirements.txt", 40), ("requirements-dev.txt", 60)],
)
def test_every_requirement_is_pinned_by_its_hashes_and_by_no_address(
    name: str, fewest: int
) -> None:
    text = (ROOT / name).read_text()
    requirements = re.split(r"\n(?=[a-z0-9])", re.sub(r"(?m)^\s*#.*\n?", "", text).strip())
    assert len(requirements) > fewest
    for requirement in requirements:
        assert re.match(r"[a-z0-9._-]+(\[[a-z,]+\])?==", requirement), requirement
        assert "--hash=sha256:" in requirement, requirement
    assert "://" not in text
    assert not re.search(r"(?m)^\s*(-i|--index-url|--extra-index-url|--find-links)", text)


def test_what_runs_adds_to_the_sandbox_and_development_to_what_runs() -> None:
    def versions(name: str) -> dict[str, str]:
        pins = re.findall(r"(?m)^([a-z0-9._-]+)(?:\[[a-z,]+\])?==(\S+)", (ROOT / name).read_text())
        return dict(pins)

    sandbox, run, development = (
        versions(f"requirements{suffix}.txt").items() for suffix in ("-sandbox", "", "-dev")
    )
    assert sandbox <= run <= development


def test_the_browser_s_packages_are_pinned_by_hash_and_by_no_address() -> None:
    lock = json.loads((ROOT / "frontend/package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    for name, package in packages.items():
        assert package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name
