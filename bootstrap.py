"""Makes the virtual environment from the pinned requirements: `python3 bootstrap.py run`.

Needs nothing but Python's standard library. What is installed already is left alone; what was
interrupted is done again.
"""

import errno
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
STAMPS = ENVIRONMENT / "installed"
OLDEST_PYTHON = (3, 11)
NEEDED_BYTES = 900 * 1024 * 1024
# What is installed for development has all that running needs, in the same versions.
REQUIREMENTS = {
    "run": ("requirements.txt",),
    "development": ("requirements.txt", "requirements-dev.txt"),
}


class Impossible(Exception):
    """The environment cannot be made; the message says why and what to do."""


def digest_of(purpose: str) -> str:
    """Return what a finished installation for this purpose is known by."""
    digest = hashlib.sha256()
    for name in REQUIREMENTS[purpose]:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def is_installed(purpose: str) -> bool:
    """Tell whether the environment holds exactly these requirements and can be used."""
    stamp = STAMPS / purpose
    usable = (ENVIRONMENT / "bin/python").exists()
    return usable and stamp.exists() and stamp.read_text(encoding="ascii") == digest_of(purpose)


def check_machine() -> None:
    """Find out now what would otherwise fail halfway."""
    if sys.version_info < OLDEST_PYTHON:
        raise Impossible(
            f"Social Code needs Python 3.11 or newer; this is {sys.version.split()[0]}. Install it"
            " and say which one to use: make run PYTHON=python3.11"
        )
    if importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise Impossible(
            "This Python cannot make virtual environments. Install what it lacks (Debian, Ubuntu:"
            f" apt-get install python{version}-venv) and start again."
        )
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_BYTES and not ENVIRONMENT.exists():
        raise Impossible(disk_full())


def disk_full() -> str:
    """Say that there is no room, and for how much there should be."""
    return (
        f"The disk that holds {ROOT} is full: about {NEEDED_BYTES // 1024**2} MB are needed."
        " Free some room and start again; what was interrupted is done again."
    )


def ensure_environment() -> Path:
    """Make the environment where there is none, or a broken one; return its Python."""
    python = ENVIRONMENT / "bin/python"
    works = python.exists() and _succeeds([python, "-m", "pip", "--version"])
    if not works:
        print("Making a virtual environment in .venv ...", flush=True)
        _run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], "The environment was not made")
    return python


def install(purpose: str) -> None:
    """Install the requirements by their hashes, then note that it was done."""
    python = ensure_environment()
    shutil.rmtree(STAMPS, ignore_errors=True)
    for name in REQUIREMENTS[purpose]:
        print(f"Installing {name} (the first time takes about a minute) ...", flush=True)
        _run(
            [
                *(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
                *("--no-input", "--require-hashes", "--requirement", ROOT / name),
            ],
            "The requirements were not installed. Is the network there? Then start again",
        )
    STAMPS.mkdir()
    for other in ("run", purpose):
        (STAMPS / other).write_text(digest_of(other), encoding="ascii")


def _succeeds(command: list[str | Path]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _run(command: list[str | Path], failure: str) -> None:
    """Run a command that reports for itself; keep its last words apart to recognise a full disk."""
    ended = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if ended.returncode == 0:
        return
    if "No space left on device" in ended.stderr or "[Errno 28]" in ended.stderr:
        raise Impossible(disk_full())
    raise Impossible(f"{ended.stderr.strip()[-3000:]}\n{failure}.")


def main(arguments: list[str]) -> int:
    """Install for the purpose named on the command line, unless that was done."""
    purpose = arguments[0] if arguments else "run"
    if purpose not in REQUIREMENTS:
        print(f"usage: bootstrap.py {{{','.join(REQUIREMENTS)}}}", file=sys.stderr)
        return 2
    try:
        if not is_installed(purpose):
            check_machine()
            install(purpose)
    except Impossible as reason:
        print(f"\n{reason}", file=sys.stderr)
        return 1
    except OSError as error:
        said = disk_full() if error.errno == errno.ENOSPC else os.strerror(error.errno or 0)
        print(f"\n{error.filename or ROOT}: {said}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted; the next start does the rest.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
