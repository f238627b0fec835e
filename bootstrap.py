"""Creates a virtual environment from the pinned requirements: `python3 bootstrap.py run`.

`bootstrap.py sandbox --python ...` creates one for running programs on another Python.

Runs on any Python 3.7 or newer without other packages. The environment uses the Python given by
`--python`, else the newest supported one on this machine. A complete environment of any supported
Python is kept; an interrupted installation is repeated.
"""

from __future__ import annotations

import argparse
import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import interpreters
from interpreters import Interpreter

ROOT = Path(__file__).resolve().parent
ENVIRONMENTS = {"run": ".venv", "development": ".venv", "sandbox": ".venv-sandbox"}
NEEDED_BYTES = 900 * 1024 * 1024
# Development includes all requirements of running, and these those of the sandbox, in the same
# versions.
REQUIREMENTS = {
    "run": ("requirements.txt",),
    "development": ("requirements.txt", "requirements-dev.txt"),
    "sandbox": ("requirements-sandbox.txt",),
}


class Impossible(Exception):
    """Raised if the environment can't be created; the message has the reason and a remedy."""


def digest_of(purpose: str) -> str:
    """Return a hash of the requirements, which identifies a complete installation."""
    digest = hashlib.sha256()
    for name in REQUIREMENTS[purpose]:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def is_installed(purpose: str, environment: Path, wanted: Interpreter | None = None) -> bool:
    """Return whether an environment has exactly these requirements, and the wanted Python."""
    stamp = environment / "installed" / purpose
    if not stamp.exists() or stamp.read_text(encoding="ascii") != digest_of(purpose):
        return False
    return (environment / "bin/python").exists() and _is_of(environment, wanted)


def _is_of(environment: Path, wanted: Interpreter | None) -> bool:
    """Return whether the environment is of this Python; if None, of any supported one."""
    try:
        noted = (environment / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return False
    found = re.search(r"(?m)^version *= *(\d+)\.(\d+)\.(\d+)", noted)
    version = tuple(map(int, found.groups())) if found else ()
    if wanted is not None:
        return version == wanted.version
    return interpreters.OLDEST <= version[:2] <= interpreters.NEWEST


def choose(name: str) -> Interpreter:
    """Return the named Python, else the newest usable one. Raises Impossible."""
    if name:
        chosen = interpreters.ask(shutil.which(name) or name)
        if chosen is None:
            raise Impossible(f"{name} is not a working Python. {_cure()}")
        found = [chosen]
    else:
        found = interpreters.find()
    for one in found:
        if one.is_usable:
            return one
    if any(one.is_supported for one in found):
        version = "{}.{}".format(*found[0].version)
        raise Impossible(
            f"Python {found[0]} can't create virtual environments. Install its missing modules"
            f" (Debian, Ubuntu: apt-get install python{version}-venv) and start again."
        )
    this = f"; {name} is {found[0]}" if name else ", and none was found"
    raise Impossible(f"Social Code needs a released CPython {_supported()}{this}. {_cure()}")


def _supported() -> str:
    return " to ".join(
        "{}.{}".format(*version) for version in (interpreters.OLDEST, interpreters.NEWEST)
    )


def _cure() -> str:
    return "Install one; if it isn't found, give its path: make run PYTHON=/usr/bin/python3.11"


def check_disk(environment: Path) -> None:
    """Raise Impossible if the disk has too little space for a new environment."""
    if shutil.disk_usage(ROOT).free < NEEDED_BYTES and not environment.exists():
        raise Impossible(disk_full())


def disk_full() -> str:
    """Return the message for a full disk."""
    return (
        f"The disk that holds {ROOT} is full: about {NEEDED_BYTES // 1024**2} MB are needed."
        " Free some space and start again."
    )


def ensure_environment(environment: Path, chosen: Interpreter | None) -> Path:
    """Create the environment if it is missing, broken or of another Python; return its Python."""
    python = environment / "bin/python"
    works = _is_of(environment, chosen) and _succeeds([python, "-m", "pip", "--version"])
    if not works:
        base = chosen or choose("")
        print(
            f"Creating a virtual environment of Python {base} in {environment.name} ...", flush=True
        )
        command: list[str | Path] = [base.path, "-m", "venv", "--clear", environment]
        _run(command, "The environment was not created")
    return python


def install(purpose: str, environment: Path, chosen: Interpreter | None) -> None:
    """Install the requirements, checking their hashes, then mark the installation as complete."""
    python = ensure_environment(environment, chosen)
    stamps = environment / "installed"
    shutil.rmtree(stamps, ignore_errors=True)
    for name in REQUIREMENTS[purpose]:
        print(f"Installing {name} (the first time takes about a minute) ...", flush=True)
        _run(
            [
                *(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
                *("--no-input", "--require-hashes", "--requirement", ROOT / name),
            ],
            "The requirements were not installed. Check the network and start again",
        )
    stamps.mkdir()
    for other in {purpose, "run" if purpose == "development" else purpose}:
        (stamps / other).write_text(digest_of(other), encoding="ascii")


def _succeeds(command: list[str | Path]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _run(command: list[str | Path], failure: str) -> None:
    """Run a command with its output shown; stderr is captured to recognise a full disk."""
    ended = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if ended.returncode == 0:
        return
    if "No space left on device" in ended.stderr or "[Errno 28]" in ended.stderr:
        raise Impossible(disk_full())
    raise Impossible(f"{ended.stderr.strip()[-3000:]}\n{failure}.")


def main(arguments: list[str]) -> int:
    """Install for the purpose on the command line, unless it is installed already."""
    parser = argparse.ArgumentParser(prog="bootstrap.py")
    parser.add_argument("purpose", choices=REQUIREMENTS)
    parser.add_argument("--python", default="", help="the Python to use, instead of the newest")
    parser.add_argument("--environment", default="", help="the environment's folder")
    options = parser.parse_args(arguments)
    environment = ROOT / (options.environment or ENVIRONMENTS[options.purpose])
    try:
        chosen = choose(options.python) if options.python else None
        if not is_installed(options.purpose, environment, chosen):
            check_disk(environment)
            install(options.purpose, environment, chosen)
    except Impossible as reason:
        print(f"\n{reason}", file=sys.stderr)
        return 1
    except OSError as error:
        message = disk_full() if error.errno == errno.ENOSPC else os.strerror(error.errno or 0)
        print(f"\n{error.filename or ROOT}: {message}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted; start again to continue.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
