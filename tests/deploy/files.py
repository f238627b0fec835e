"""Reads the files in deploy/."""

import configparser
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
# How the processes are started, in the image and by units.
PYTHON = re.compile(r"(/srv/socialcode/\.venv/bin/)?python$")


def read(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def unit(path: Path) -> configparser.ConfigParser:
    """Parse a unit; of keys that occur more than once, the last is kept."""
    parser = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path, encoding="utf-8")
    return parser


def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load(read("compose.yaml"))
    return parsed


def site_services() -> dict[str, dict[str, Any]]:
    """Return the services that run our image."""
    services = compose()["services"]
    return {name: one for name, one in services.items() if one["image"] == "socialcode"}


def assignments(text: str) -> dict[str, str]:
    """Return the variables of an environment file."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.partition("=")[::2] for line in lines)


def instructions(name: str) -> Iterator[str]:
    """Return the arguments of the Containerfile's instructions of this name."""
    text = re.sub(r"\\\n", " ", read("Containerfile"))
    for line in text.splitlines():
        instruction, _, rest = line.partition(" ")
        if instruction == name:
            yield rest.strip()


def program(name: str) -> str:
    """Return the path of a program; skip the test where it is missing."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed, so it does not check its configuration")
    return found


def checked(*words: str, **environment: str) -> None:
    """Run a program that has to succeed."""
    run = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
