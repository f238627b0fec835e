"""Tries the site on every supported Python of this machine: `make test-pythons`.

Of each, in an environment of its own below `.venvs`: the sandbox's tests, the samples' tests, and
`make run` in a copy of the checkout; where root may, once more as a user who may write nowhere but
in that copy. What they say is kept in `var/pythons`; here it is told when something failed.
"""

import argparse
import contextlib
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

import interpreters
from interpreters import Interpreter

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "var/pythons"
SAMPLES = "tests/functions/maintenance/test_samples_loaded.py"
READY = "Social Code is ready"
SAMPLE = "functions/samples/library/*/*/function.toml"
USER = "nobody"  # PostgreSQL runs for those only who have a name
AS_USER = (
    *("setpriv", "--reuid", USER, "--regid", str(pwd.getpwnam(USER).pw_gid), "--clear-groups"),
    *("--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all"),
)
PATH = "/usr/local/bin:/usr/bin:/bin"
TEST_SECONDS = 1_800
RUN_SECONDS = 420
END_SECONDS = 60
LOOK_SECONDS = 1.0
TOLD_LINES = 40
NAMED_LINES = 6
PAGE = 100


class Failed(Exception):
    """Something didn't work; the message says what."""


class Unreachable(Exception):
    """An ordinary user may not execute this Python; the message names it."""


def environment_of(one: Interpreter) -> Path:
    """Return where its environment is."""
    return ROOT / ".venvs" / str(one)


def prepare(one: Interpreter, log: Path) -> None:
    """Make its environment, if that isn't there."""
    call(
        [
            *(sys.executable, "bootstrap.py", "development"),
            *("--python", one.path, "--environment", str(environment_of(one))),
        ],
        log,
    )


def run_tests(one: Interpreter, log: Path, *files: str) -> None:
    """Run tests in its environment."""
    python = environment_of(one) / "bin/python"
    jobs = os.environ.get("JOBS") or str(min(os.cpu_count() or 1, 4))
    pytest = [str(python), "-m", "pytest", "-q"]
    try:
        call([*pytest, "-n", jobs, *files], log)
    except Failed:
        # On a busy machine a test of times may fail; one that fails alone, too, is wrong.
        name_failed_tests(one, log)
        call([*pytest, "-n", "0", "--last-failed", "--last-failed-no-failures=none", *files], log)


def call(command: Sequence[str], log: Path) -> None:
    """Run a command to its end; what it says goes to the log."""
    with log.open("ab") as said:
        try:
            subprocess.run(
                command, cwd=ROOT, stdout=said, stderr=said, timeout=TEST_SECONDS, check=True
            )
        except subprocess.SubprocessError as error:
            raise Failed(str(error)) from error


# --- make run -------------------------------------------------------------------------------------


def run_site(one: Interpreter, log: Path, prefix: Sequence[str] = ()) -> None:
    """Have `make run` start a site in a copy of the checkout, until all samples are implemented."""
    with tempfile.TemporaryDirectory(prefix="site-") as home:
        folder = copy_checkout(one, Path(home))
        if prefix:
            give_away(Path(home))
        address = f"http://127.0.0.1:{free_port()}"
        with log.open("ab") as said:
            site = subprocess.Popen(
                [*prefix, "make", "run", f"PORT={address.rpartition(':')[2]}"],
                cwd=folder,
                env={"PATH": PATH if prefix else os.environ["PATH"], "HOME": home},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        try:
            await_samples(site, address, len([*folder.glob(SAMPLE)]))
            check_last_line(log)
        finally:
            end(site)
            for part in sorted(folder.glob("var/logs/*.log")):
                with log.open("ab") as said:
                    said.write(f"--- {part.name}\n".encode() + part.read_bytes()[-4_000:])


def run_site_as_user(one: Interpreter, log: Path) -> None:
    """Have a user start it who may write nowhere but in that copy."""
    # By a shell: setpriv itself may still execute what its user may not.
    trial = [*AS_USER, "sh", "-c", '"$0" -c pass', str(environment_of(one) / "bin/python")]
    with log.open("ab") as said:
        tried = subprocess.run(trial, stdout=said, stderr=said, check=False)
    if tried.returncode:
        raise Unreachable(f"Python {one}: {USER} may not execute {one.path}")
    run_site(one, log, AS_USER)


def copy_checkout(one: Interpreter, home: Path) -> Path:
    """Copy what the site is made of, with its built frontend, and an environment that is there."""
    unneeded = shutil.ignore_patterns(".*", "var", "node_modules", "__pycache__", "staticfiles")
    folder = Path(shutil.copytree(ROOT, home / "checkout", ignore=unneeded))
    (folder / ".venv").symlink_to(environment_of(one))
    return folder


def give_away(home: Path) -> None:
    """Let all of it belong to the user."""
    user = pwd.getpwnam(USER)
    for path in (home, *home.rglob("*")):
        os.chown(path, user.pw_uid, user.pw_gid, follow_symlinks=False)


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def await_samples(site: subprocess.Popen[bytes], address: str, many: int) -> None:
    """Wait until as many functions are implemented as there are samples."""
    deadline = time.monotonic() + RUN_SECONDS
    seen = 0
    while seen < many:
        if site.poll() is not None:
            raise Failed(f"`make run` ended with {site.returncode}")
        if time.monotonic() > deadline:
            raise Failed(f"{seen} of {many} samples are implemented after {RUN_SECONDS} s")
        time.sleep(LOOK_SECONDS)
        with contextlib.suppress(OSError, ValueError):
            seen = implemented(address)


def check_last_line(log: Path) -> None:
    """Check that the line that says the site is ready is the last one, and the samples' is one."""
    lines = log.read_text("utf-8", "replace").rstrip().splitlines()
    if READY not in lines[-1]:
        raise Failed(f"the last line is not that the site is ready, but {lines[-1]!r}")
    loaded = [line for line in lines if line.startswith("Loaded the samples")]
    if len(loaded) != 1:
        raise Failed(f"loading the samples is told in {len(loaded)} lines")


def implemented(address: str) -> int:
    """Return how many functions the site says are implemented."""
    many = 0
    asked = {"status": "implemented", "limit": str(PAGE)}
    while True:
        url = f"{address}/api/v1/functions/?{urllib.parse.urlencode(asked)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            page = json.load(answer)
        many += len(page["items"])
        if page["next"] is None:
            return many
        asked["cursor"] = page["next"]


def end(site: subprocess.Popen[bytes]) -> None:
    """End it as Ctrl-C does, and wait until it has gone."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(site.pid, signal.SIGINT)
    try:
        site.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(site.pid, signal.SIGKILL)
        site.wait()


# --- the table ------------------------------------------------------------------------------------

Check = Callable[[Interpreter, Path], None]
CHECKS: dict[str, Check] = {
    "environment": prepare,
    "sandbox": lambda one, log: run_tests(one, log, "tests/sandbox"),
    "samples": lambda one, log: run_tests(one, log, SAMPLES),
    "make run": run_site,
    "as a user": run_site_as_user,
}


def is_possible(name: str) -> bool:
    """Whether a check can be made here; only root becomes somebody else."""
    return name != "as a user" or (os.geteuid() == 0 and shutil.which("setpriv") is not None)


def try_out(one: Interpreter) -> dict[str, str]:
    """Make all checks of one interpreter, as far as they depend on no other that failed."""
    results = dict.fromkeys(CHECKS, "-")
    for name, check in CHECKS.items():
        if not is_possible(name):
            continue
        log = log_of(one, name)
        log.unlink(missing_ok=True)
        began = time.monotonic()
        try:
            check(one, log)
            results[name] = "passed"
        except Unreachable as error:
            results[name] = "unreachable"
            print(error)
        except (Failed, OSError) as error:
            results[name] = "FAILED"
            tell_failure(f"Python {one}, {name}: {error}", log)
        print(f"Python {one}: {name} {results[name]}, {time.monotonic() - began:.0f} s", flush=True)
        if name == "environment" and results[name] != "passed":
            break
    return results


def tell_failure(said: str, log: Path) -> None:
    """Show the end of what was said, marked as a quotation."""
    lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
    print(said, *(f"  | {line}" for line in lines[-TOLD_LINES:]), f"All of it: {log}", sep="\n")


def log_of(one: Interpreter, check: str) -> Path:
    """Return where what a check says is kept."""
    return LOGS / f"{one}-{check.replace(' ', '-')}.log"


def name_failures(table: dict[Interpreter, dict[str, str]]) -> None:
    """Name the tests that failed once more, as the end is what is read first."""
    for one, row in table.items():
        for check in (check for check, result in row.items() if result == "FAILED"):
            name_failed_tests(one, log_of(one, check))


def name_failed_tests(one: Interpreter, log: Path) -> None:
    """Name the tests of a log that failed; the end of the log if there are none."""
    lines = log.read_text("utf-8", "replace").splitlines()
    named = [line for line in lines if line.startswith(("FAILED", "ERROR", "E  "))]
    print(f"Python {one}, {log.stem}:", *(named or lines)[-NAMED_LINES:], sep="\n  ", flush=True)


def show(table: dict[Interpreter, dict[str, str]]) -> None:
    """Print all results."""
    rows = [["Python", *CHECKS], *([str(one), *row.values()] for one, row in table.items())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def main() -> int:
    """Try all; tell whether all went well, and whether there were enough."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", help="only these, such as 3.12 or 3.11.2")
    parser.add_argument("--at-least", type=int, default=1, help="how many there must be")
    parser.add_argument("--ends", action="store_true", help="only the oldest and the newest")
    options = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    there = interpreters.find()
    for one in there:
        if not one.is_usable:
            print(f"Python {one} ({one.path}) has no venv, so it isn't tried.")
    chosen = [
        one
        for one in there
        if one.is_usable and (not options.versions or _is_one_of(one, options.versions))
    ]
    if options.ends:
        chosen = sorted(chosen, key=lambda one: one.version)[:: max(1, len(chosen) - 1)]
    table = {one: try_out(one) for one in chosen}
    show(table)
    name_failures(table)
    if len(table) < options.at_least:
        print(f"{len(table)} were tried; at least {options.at_least} are needed.")
        return 1
    return int(any("FAILED" in row.values() for row in table.values()))


def _is_one_of(one: Interpreter, versions: Sequence[str]) -> bool:
    return any(f"{one}.".startswith(f"{version}.") for version in versions)


if __name__ == "__main__":
    sys.exit(main())
