"""Looks up known vulnerabilities of all pinned libraries: `make audit`.

Asks the advisory services of PyPI and npm. Exits with 1 if a library has a known vulnerability, and
with 2 if a service didn't answer for all libraries, so that silence is never taken for safety.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from socialcode.frontend import FOLDER, node_tools

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements.txt", "requirements-dev.txt")
TIMEOUT_SECONDS = 600
NAMED = 5


class Unanswered(Exception):
    """A service gave no answer; the message says which, and why."""


def python_vulnerabilities(report: dict[str, Any]) -> list[str]:
    """Return a line for each vulnerability in a report of pip-audit."""
    libraries = report["dependencies"]
    skipped = [library["name"] for library in libraries if "skip_reason" in library]
    if skipped:
        named = ", ".join(skipped[:NAMED])
        raise Unanswered(f"PyPI knows nothing of {len(skipped)} libraries: {named}")
    return [
        f"{library['name']} {library['version']}: {found['id']},"
        f" fixed in {', '.join(found['fix_versions']) or 'no version'}"
        for library in libraries
        for found in library["vulns"]
    ]


def npm_vulnerabilities(report: dict[str, Any]) -> list[str]:
    """Return a line for each vulnerability in a report of `npm audit`."""
    if "vulnerabilities" not in report:
        raise Unanswered(f"npm: {report.get('message') or report.get('error') or report}")
    return [
        f"{name} {found['range']}: {found['severity']}"
        for name, found in sorted(report["vulnerabilities"].items())
    ]


def audit_python() -> list[str]:
    """Ask PyPI about the pinned packages of Python."""
    files = [part for lock in LOCKS for part in ("--requirement", str(ROOT / lock))]
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes", *files]
    return python_vulnerabilities(_report([*command, "--format=json", "--progress-spinner=off"]))


def audit_npm() -> list[str]:
    """Ask npm about the pinned packages of the frontend."""
    npm, environment = node_tools()
    return npm_vulnerabilities(_report([*npm, "audit", "--json"], environment))


def _report(command: Sequence[str], environment: dict[str, str] | None = None) -> dict[str, Any]:
    ended = subprocess.run(
        command,
        cwd=FOLDER,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_SECONDS,
    )
    try:
        report: dict[str, Any] = json.loads(ended.stdout)
    except ValueError:
        raise Unanswered(f"{' '.join(command[:3])}: {ended.stderr.strip()[-500:]}") from None
    return report


def main() -> int:
    """Ask both, and print what they know."""
    code = 0
    for name, audit in (("Python", audit_python), ("npm", audit_npm)):
        try:
            found = audit()
        except (Unanswered, subprocess.TimeoutExpired) as failure:
            print(f"{name}: not audited. {failure}", file=sys.stderr)
            code = 2
        else:
            print(f"{name}: {len(found)} known vulnerabilities", *found, sep="\n  ")
            code = code or int(bool(found))
    return code


if __name__ == "__main__":
    sys.exit(main())
