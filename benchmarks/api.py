"""The API: a check over the bare sandbox, in turns; and the package index of a large site."""

from __future__ import annotations

import argparse
import http.client
import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from benchmarks.bare import built
from benchmarks.costs import cpu_seconds, own_cpu_seconds
from benchmarks.report import Figure, report, spread
from benchmarks.site import HOST, USER, Api, PrivateSite
from runner.programs.program import PreparedProgram, make_program
from runner.sandbox import Module, Outcome, Pool, Verdict

TESTS = 20
CORES = 2
RUNS = 40
QUICK_RUNS = 5
WARM_UP_RUNS = 3
PAUSE_SECONDS = 0.3  # until both have forked ahead
TIMEOUT_SECONDS = 60.0

FUNCTIONS = 100_000
REQUESTS = 200
QUICK_REQUESTS = 40
JSON = "application/vnd.pypi.simple.v1+json"
FILENAME = "sc_fn7-1-py3-none-any.whl"
# As the use cases leave them, for %(n)s functions; the last release has a wheel with metadata.
_ROWS = (
    """insert into functions_function (id, name, name_key, signature, description, kind, language,
        owner_id, created_at, changed_at, last_implementation_number, last_test_number, status,
        blocked_by, untested, judging, elected_id, closure_digest, due_to)
    select 1000 + i, 'Fn' || i, 'fn' || i, '(n)', 'A number.', 'function', 'python',
        (select id from auth_user where username = %(owner)s), now(), now(), 1, 0, 'implemented',
        '', true, false, 1000 + i, '', ''
    from generate_series(1, %(n)s) i""",
    """insert into functions_implementation (id, function_id, author_id, number, title, code,
        source_sha256, state, version, score, acceptable_reason, created_at, changed_at,
        published_at, standing, standing_reason, passed, counting)
    select f.id, f.id, f.owner_id, 1, '', 'def ' || f.name || E'(n):\\n    return n\\n',
        sha256(f.name::bytea), 'published', 1, 0, '', now(), now(), now(), 'eligible', '', 0, 0
    from functions_function f where f.name_key like 'fn%%'""",
    """insert into functions_release (id, function_id, name, name_key, number, implementation_id,
        source_sha256, digest, requires, circle, created_at, yanked, build_error, built_at)
    select f.id, f.id, f.name, f.name_key, 1, f.id, sha256(f.name::bytea), sha256(f.name::bytea),
        '[]', '{}', now(), '', '', now()
    from functions_function f where f.name_key like 'fn%%'""",
    """insert into functions_releasefile (release_id, filename, sha256, size, content, metadata,
        metadata_sha256)
    select f.id, 'sc_' || f.name_key || '-1-py3-none-any.whl', encode(sha256(f.name::bytea), 'hex'),
        2000, decode(repeat('00', 2000), 'hex'), repeat(E'Requires-Dist: sc-other == 1\\n', 20),
        encode(sha256(f.name_key::bytea), 'hex')
    from functions_function f where f.name_key like 'fn%%'""",
    "analyze",
)


@dataclass(frozen=True, slots=True)
class Checks:
    """The times of checks and of the bare sandbox, and CPU times of the site's parts."""

    check_ms: list[float]
    bare_ms: list[float]
    cpu_ms: dict[str, float]


def _draft(number: int) -> str:
    return f"def Add(a, b): return a + b  # {number}\n"


def _test(number: int) -> str:
    return f"assert Add({number}, 2) == {number + 2}\n"


def _programs(number: int) -> list[PreparedProgram]:
    draft = Module("Add", _draft(number))
    return [
        make_program(
            modules=[draft, Module("test", _test(each), ("Add",))], entry="test", subject="Add"
        )
        for each in range(TESTS)
    ]


def _publish_tests(api: Api) -> None:
    api.request("POST", "functions/", {"name": "Add", "signature": "(a, b)"})
    for number in range(TESTS):
        draft = api.request("POST", "functions/Add/tests/", {"code": _test(number)})
        batch = api.request("POST", f"tests/{draft['id']}/publish/")["batch"]
    answer = api.request("GET", f"batches/{batch}/?wait=30")
    if answer["state"] != "complete":
        raise TimeoutError(f"the tests were not published: {answer}")


def _check_ms(api: Api, number: int) -> float:
    body = {"implementation": _draft(number)}
    began = time.perf_counter()
    answer = api.request("POST", "functions/Add/check/", body)
    elapsed = time.perf_counter() - began
    cells = answer["cells"]
    if len(cells) != TESTS or {(c["verdict"], c["known"]) for c in cells} != {("passed", False)}:
        raise ValueError(f"not checked: {answer}")
    return elapsed * 1_000


def _bare_ms(pool: Pool, number: int) -> float:
    programs = [(each.key, built(each)) for each in _programs(number)]
    began = time.perf_counter()
    outcomes = [outcome for _, outcome in pool.map(programs, rests=False)]
    elapsed = time.perf_counter() - began
    pool.rest()
    if any(not isinstance(o, Outcome) or o.verdict is not Verdict.PASSED for o in outcomes):
        raise ValueError(f"a program did not pass: {outcomes}")
    return elapsed * 1_000


def _cpu_seconds(site: PrivateSite) -> dict[str, float]:
    pids = site.pids
    callers = own_cpu_seconds(pids["callers"])
    return {
        "web": own_cpu_seconds(pids["web"]),
        "callers": callers,
        "sandbox": cpu_seconds([pids["callers"]]) - callers,
        "postgres": cpu_seconds([pids["postgres"]]),
    }


def measure_checks(site: PrivateSite, runs: int) -> Checks:
    """Check a new draft, and run the same tests in a pool of this process, in turns."""
    _publish_tests(site.api)
    checks, bare = [], []
    cpu = dict.fromkeys(_cpu_seconds(site), 0.0)
    with Pool(CORES) as pool:
        for number in range(-WARM_UP_RUNS, runs):
            for is_check in (number % 2 == 0, number % 2 != 0):
                time.sleep(PAUSE_SECONDS)
                if is_check:
                    before = _cpu_seconds(site)
                    checks.append(_check_ms(site.api, number))
                    after = _cpu_seconds(site)
                    cpu = {part: cpu[part] + after[part] - before[part] for part in cpu}
                else:
                    bare.append(_bare_ms(pool, number))
    each_ms = {part: seconds * 1_000 / len(checks) for part, seconds in cpu.items()}
    return Checks(checks[WARM_UP_RUNS:], bare[WARM_UP_RUNS:], each_ms)


def _fill(url: str, functions: int) -> None:
    with psycopg.connect(url) as database:
        for statement in _ROWS:
            database.execute(statement, {"n": functions, "owner": USER})


class Installer:
    """A client of the package index with one connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=30)

    def get(self, path: str, **headers: str) -> tuple[float, http.client.HTTPResponse, bytes]:
        """Return the time in milliseconds, the answer and its body."""
        began = time.perf_counter()
        self._connection.request("GET", path, headers=headers)
        answer = self._connection.getresponse()
        body = answer.read()
        return (time.perf_counter() - began) * 1_000, answer, body


def measure_index(port: int, requests: int, functions: int) -> dict[str, list[float]]:
    """Return the times of the index page in both forms, if it is known, and of metadata."""
    installer = Installer(port)
    _, page, body = installer.get("/simple/", Accept=JSON)
    if body.count(b'"name"') < functions:
        raise ValueError(f"the index page has not all projects: {body[:200]!r}")
    etag = page.headers["ETag"]
    asked: dict[str, tuple[str, dict[str, str], int]] = {
        "index_html": ("/simple/", {"Accept": "text/html"}, 200),
        "index_json": ("/simple/", {"Accept": JSON}, 200),
        "index_unchanged": ("/simple/", {"Accept": JSON, "If-None-Match": etag}, 304),
        "project": ("/simple/sc-fn7/", {"Accept": JSON}, 200),
        "metadata": (f"/simple/files/{FILENAME}.metadata", {}, 200),
    }
    times: dict[str, list[float]] = {name: [] for name in asked}
    for number in range(-WARM_UP_RUNS, requests):
        for name, (path, headers, status) in asked.items():
            taken, answer, _ = installer.get(path, **headers)
            if answer.status != status:
                raise ValueError(f"{path}: {answer.status}")
            if number >= 0:
                times[name].append(taken)
    return times


def _p95(samples: Sequence[float]) -> float:
    return statistics.quantiles(samples, n=20)[-1]


def _median(name: str, unit: str, samples: Sequence[float], goal: str = "") -> Figure:
    return Figure(name, statistics.median(samples), unit, goal, len(samples), spread(samples))


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    quick = parser.parse_args().quick
    os.environ["SOCIALCODE_CALL_SLOTS"] = str(CORES)
    with PrivateSite(workers=1) as site:
        checks = measure_checks(site, QUICK_RUNS if quick else RUNS)
        _fill(site.database_url, FUNCTIONS)
        times = measure_index(site.port, QUICK_REQUESTS if quick else REQUESTS, FUNCTIONS)
    ratios = [ours / bare for ours, bare in zip(checks.check_ms, checks.bare_ms, strict=True)]
    worst = max(_p95(samples) for samples in times.values())
    figures: list[Any] = [
        _median("check_over_bare_sandbox", "x", ratios, "<= 2"),
        Figure("index_p95_ms", worst, "ms", "<= 50", len(times["metadata"])),
        _median("check_ms", "ms", checks.check_ms),
        _median("bare_sandbox_ms", "ms", checks.bare_ms),
        *(Figure(f"check_cpu_{part}_ms", ms, "ms") for part, ms in checks.cpu_ms.items()),
        *(
            Figure(f"{name}_p95_ms", _p95(samples), "ms", "", len(samples), spread(samples))
            for name, samples in times.items()
        ),
        *(_median(f"{name}_ms", "ms", samples) for name, samples in times.items()),
    ]
    return 0 if report("api", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
