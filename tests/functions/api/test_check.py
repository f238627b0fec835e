"""Checking code over HTTP: what a draft's run would say, at once, and nothing is kept."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from pytest_django import Settings

from functions.authoring import run_draft, start_draft
from functions.checks import runs
from functions.models import Function, Implementation, Test
from runner.models import Result
from runner.programs.program import source_hash
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller, assert_problem
from tests.support.callers import callers, callers_socket  # noqa: F401 - fixtures
from tests.support.works import account, constant, define, implement, publish_test

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("callers"),
]
ADD = "def Add(a, b):\n    log('adding', a)\n    return a + b\n"
SUBTRACT = ADD.replace("a + b", "a - b")
TESTS = (
    "def test_sum():\n    assert Add(2, 3) == 5\n",
    "assert 4 == Add(2, 2)\n",
    "assert Add('a', 'b') == 'ab'\n",
    "assert Add(10**6, 0) < 10**7\n",
    "from collections import Counter\nassert Add(Counter(a=1), Counter(a=2)) == Counter(a=3)\n",
)


@pytest.fixture
def add() -> Function:
    function = define("Add", signature="(a, b)")
    for code in TESTS:
        publish_test(function, code)
    return function


def checked(caller: Caller, function: Function, **body: Any) -> dict[str, Any]:
    response = caller.post(f"/functions/{function.name.lower()}/check/", body)
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = response.json()
    return answer


def rows() -> dict[str, int]:
    """Return how many rows each table has, but that which counts the use of quotas."""
    with connection.cursor() as cursor:
        tables = {*connection.introspection.table_names(cursor)} - {"runner_resourceuse"}
        counts = {}
        for table in tables:
            cursor.execute(f"select count(*) from {table}")  # noqa: S608
            (counts[table],) = cursor.fetchone()
    return counts


def test_an_implementation_is_run_against_all_tests_and_nothing_is_kept(
    mira: Caller, add: Function
) -> None:
    before = rows()
    answer = checked(mira, add, implementation=SUBTRACT)
    assert rows() == before
    assert answer["verdict"] == "passed"
    cells = answer["cells"]
    assert [cell["test"] for cell in cells] == [
        *add.tests.order_by("pk").values_list("pk", flat=True)
    ]
    assert {cell["implementation"] for cell in cells} == {None}
    verdicts = [cell["verdict"] for cell in cells]
    assert verdicts == ["failed", "failed", "error", "passed", "failed"]
    first, second, third, *_ = cells
    assert (first["module"], first["line"]) == ("test", 2)
    assert (first["expected"], first["actual"]) == ("5", "-1")
    assert (second["expected"], second["actual"]) == ("4", "0")
    assert [line["text"] for line in first["log"]] == ["adding 2"]
    assert (third["module"], third["line"], third["expected"]) == ("Add", 3, None)
    assert "TypeError" in third["message"]
    assert all(cell["cpu_us"] > 0 and not cell["known"] and not cell["reason"] for cell in cells)


def test_a_test_is_run_against_all_implementations(
    mira: Caller, worker: Drainer, add: Function
) -> None:
    works = [implement(add, code) for code in (ADD, SUBTRACT)]
    worker.drain()
    before = rows()
    answer = checked(mira, add, test="assert Add(1, 1) == 2\n")
    assert rows() == before
    assert answer["verdict"] == "passed"
    assert [
        (cell["implementation"], cell["test"], cell["verdict"]) for cell in answer["cells"]
    ] == [
        (works[0].pk, None, "passed"),
        (works[1].pk, None, "failed"),
    ]


def test_what_is_known_is_not_run_again(
    mira: Caller, worker: Drainer, add: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    implement(add, ADD)
    worker.drain()
    with monkeypatch.context() as patch:
        patch.setattr(runs, "run_programs", None)  # nothing is run
        answer = checked(mira, add, implementation=ADD.replace("\n", "\r\n"))
    assert [cell["verdict"] for cell in answer["cells"]] == ["passed"] * len(TESTS)
    assert all(cell["known"] and cell["log"][0]["stream"] == "out" for cell in answer["cells"])
    new = publish_test(add, "assert Add(0, 0) == 0\n")
    cells = checked(mira, add, implementation=ADD)["cells"]
    assert [cell["test"] for cell in cells if not cell["known"]] == [new.pk]


CASES = {
    "passes": "def F(n):\n    return n\n",
    "fails": "def F(n):\n    return -n\n",
    "raises": "def F(n):\n    return 1 / (n - n)\n",
    "prints": "def F(n):\n    print('a\\x00b', n)\n    return n\n",
    "does not load": "raise ValueError('now')\ndef F(n):\n    return n\n",
    "does not define it": "def G(n):\n    return n\n",
    "imports what is missing": "import nothing_like_it\ndef F(n):\n    return n\n",
    "imports what is forbidden": "import socket\ndef F(n):\n    return n\n",
    "takes too long": "def F(n):\n    while True:\n        n += 1\n",
    "takes too much memory": "def F(n):\n    return len(bytearray(1 << 30))\n",
    "writes too much": "def F(n):\n    for _ in range(5_000):\n        print('!')\n    return n\n",
    "uses chance": "import random\ndef F(n):\n    print(random.random())\n    return n\n",
    "uses another": "# <<Base>>\ndef F(n):\n    return Base() * n\n",
}


@pytest.mark.parametrize("case", CASES)
def test_the_verdicts_are_those_of_a_drafts_run(mira: Caller, worker: Drainer, case: str) -> None:
    implement(define("Base"), constant("Base", 1))
    function = define("F", signature="(n)")
    publish_test(function, "def test_it():\n    assert F(7) == 7\n")
    publish_test(function, "# <<Base>>\nassert F(Base()) == Base()\n")
    worker.drain()
    before = Result.objects.count()
    answer = checked(mira, function, implementation=CASES[case])
    assert Result.objects.count() == before
    draft = start_draft(
        actor=account("ida"), function=function, model=Implementation, code=CASES[case]
    )
    batch = run_draft(actor=draft.author, draft=draft)
    worker.drain()
    results = {
        (form["entry"], form["modules"][-1][1]): task.execution.result
        for task in batch.tasks.select_related("execution__result")
        for form in [task.execution.program]
    }
    tests = [("test", source_hash(test.code).hex()) for test in function.tests.order_by("pk")]
    load = ("load", source_hash(CASES[case]).hex())
    for cell, last in zip([answer, *answer["cells"]], [load, *tests], strict=True):
        result = results.pop(last)
        assert (cell["verdict"], cell["line"]) == (result.verdict, result.line)
        assert told(cell["verdict"], cell["message"]) == told(result.verdict, result.message)
        assert [line["text"] for line in cell["log"]] == [text for _, _, text in result.log]
        assert cell["truncated"] == result.truncated
    assert not results
    # And now that it is known, the same is told.
    again = checked(mira, function, implementation=CASES[case])
    shown = ("verdict", "line", "module", "expected", "actual", "truncated")
    assert all(cell["known"] for cell in again["cells"])
    assert [[cell[name] for name in shown] for cell in again["cells"]] == [
        [cell[name] for name in shown] for cell in answer["cells"]
    ]


def told(verdict: str, message: str) -> str:
    """Return the message; which time is up first depends on what else the machine does."""
    return "" if verdict == "time_limit" else message


COLUMNS = {
    "passes and fails": "assert F(7) == 7\n",
    "has several cases": "def test_a(): assert F(1) == 1\n\ndef test_b(): assert F(2) == 3\n",
    "raises": "F(1).missing\n",
    "has no assertion": "log('nothing')\n",
    "never ends": "while True:\n    F(1)\n",
    "uses another": "# <<Base>>\nassert F(Base()) == 1\n",
    "is of pytest": "import pytest\ndef test_it():\n    with pytest.raises(TypeError): F()\n",
}


@pytest.mark.parametrize("case", COLUMNS)
def test_the_column_of_a_test_is_that_of_a_drafts_run(
    mira: Caller, worker: Drainer, case: str
) -> None:
    implement(define("Base"), constant("Base", 1))
    function = define("F", signature="(n)")
    works = [implement(function, CASES[name]) for name in ("passes", "fails", "does not load")]
    worker.drain()
    cells = checked(mira, function, test=COLUMNS[case])["cells"]
    draft = start_draft(actor=account("ida"), function=function, model=Test, code=COLUMNS[case])
    batch = run_draft(actor=draft.author, draft=draft)
    worker.drain()
    results = {
        sha256: task.execution.result
        for task in batch.tasks.select_related("execution__result")
        for name, sha256, _ in task.execution.program["modules"]
        if name == "F"
    }
    assert [cell["implementation"] for cell in cells] == [work.pk for work in works]
    for cell, work in zip(cells, works, strict=True):
        result = results[source_hash(work.code).hex()]
        assert (cell["verdict"], cell["line"]) == (result.verdict, result.line)
        assert cell["module"] == result.module
        assert told(cell["verdict"], cell["message"]) == told(result.verdict, result.message)
        assert [line["text"] for line in cell["log"]] == [text for _, _, text in result.log]


@pytest.mark.parametrize(
    ("body", "code", "place"),
    [
        ({"implementation": "def Add(a, b):\n    return a +\n"}, "syntax_error", (2, 15)),
        ({"test": "assert Add(1, 1) == = 2\n"}, "syntax_error", (1, 21)),
        ({"implementation": "x = 1\n# <<1st>>\n"}, "invalid_marker", (2, 3)),
        ({"implementation": "\n# <<Missing>>\ndef Add(a, b): pass\n"}, "blocked", (2, 3)),
        ({"implementation": "# <<Add>>\ndef Add(a, b): pass\n"}, "self_dependency", (1, 3)),
        ({"implementation": "# nothing\n"}, "empty_code", (None, None)),
        ({"implementation": "x", "language": "basic"}, "invalid_language", (None, None)),
    ],
)
def test_code_that_cant_be_run_is_refused_with_its_place(
    mira: Caller, add: Function, body: dict[str, str], code: str, place: tuple[int, int]
) -> None:
    problem = assert_problem(mira.post("/functions/Add/check/", body), 422, code)
    (error,) = problem["errors"]
    assert (error["line"], error["column"]) == place


def test_a_test_that_may_not_be_run_says_so_with_its_line(mira: Caller, add: Function) -> None:
    answer = checked(mira, add, test="import socket\nassert Add(1, 1) == 2\n")
    assert (answer["verdict"], answer["line"], answer["cells"]) == ("policy", 1, [])
    assert "socket" in answer["message"]


def test_a_blocked_test_has_no_verdict_and_a_reason(mira: Caller, add: Function) -> None:
    define("Later")
    blocked = publish_test(add, "# <<Later>>\nassert Add(1, 1) == Later()\n")
    cells = {cell["test"]: cell for cell in checked(mira, add, implementation=ADD)["cells"]}
    assert (cells[blocked.pk]["verdict"], cells[blocked.pk]["reason"]) == (None, "blocked")
    assert [cell["verdict"] for cell in cells.values()] == ["passed"] * len(TESTS) + [None]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"implementation": "x", "test": "y"},
        {"implementation": None},
        {"implementation": 1},
        {"test": "a\0b"},
        [],
    ],
)
def test_a_wrong_body_is_malformed(mira: Caller, add: Function, body: Any) -> None:
    response = mira.post("/functions/Add/check/", body)
    assert response.status_code in (400, 422)
    assert response["Content-Type"] == "application/problem+json"


def test_who_may_not_and_what_is_not_there(nobody: Caller, mira: Caller, add: Function) -> None:
    body = {"implementation": ADD}
    assert_problem(nobody.post("/functions/Add/check/", body), 401, "nobody")
    assert_problem(mira.post("/functions/Nothing/check/", body), 404, "not_found")
    long = {"implementation": "x = 1\n" * 20_000}
    assert_problem(mira.post("/functions/Add/check/", long), 413, "too_large")
    Function.objects.filter(pk=add.pk).update(archived_at=add.created_at)
    assert_problem(mira.post("/functions/Add/check/", body), 409, "function_archived")


def test_runs_count_for_todays_quota_and_what_is_known_does_not(
    mira: Caller, worker: Drainer, add: Function, settings: Settings, limits: None
) -> None:
    settings.RUNS_PER_DAY = 7
    assert checked(mira, add, implementation=SUBTRACT)["verdict"] == "passed"
    used = {item["resource"]: item["used"] for item in mira.get("/use/").json()["items"]}
    assert used["runs"] == len(TESTS) + 1
    assert used["cpu"] > 0
    refused = mira.post("/functions/Add/check/", {"implementation": ADD})
    problem = assert_problem(refused, 429, "quota_reached")
    assert "runs" in problem["detail"]
    implement(add, ADD)
    worker.drain()
    assert checked(mira, add, implementation=ADD)["cells"][0]["known"]


def test_what_there_is_no_time_for_has_no_verdict(
    mira: Caller, add: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "CHECK_SECONDS", 1.0)
    slow = "import time\ndef Add(a, b):\n    time.sleep(0.7)\n    return a + b\n"
    answer = checked(mira, add, implementation=slow)
    assert answer["verdict"] == "passed"
    found = [(cell["verdict"], cell["reason"]) for cell in answer["cells"]]
    assert found == [("passed", None)] + [(None, "time")] * 4


def test_a_check_that_nobody_waits_for_is_counted_by_its_time(
    mira: Caller, add: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(_request: Any) -> Any:
        time.sleep(0.2)
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(runs, "run_programs", leave)
        with pytest.raises(asyncio.CancelledError):
            mira.post("/functions/Add/check/", {"implementation": ADD})
    used = {item["resource"]: item["used"] for item in mira.get("/use/").json()["items"]}
    assert used["runs"] == 1
    assert used["cpu"] >= 0.2


def test_many_programs_are_sent_in_parts(
    mira: Caller, add: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MAX_REQUEST_CHARACTERS", 1_000)
    cells = checked(mira, add, implementation=ADD)["cells"]
    assert [cell["verdict"] for cell in cells] == ["passed"] * len(TESTS)


def test_without_the_call_server_it_is_unavailable(
    mira: Caller, add: Function, settings: Settings, tmp_path: Path
) -> None:
    settings.CALLERS_SOCKET = str(tmp_path / "nobody")
    response = mira.post("/functions/Add/check/", {"implementation": ADD})
    assert_problem(response, 503, "calls_away")


KINDS = [
    ("class", {}, "class K:\n    def n(self):\n        return 3\n", "assert K().n() == 3\n"),
    ("document", {}, '{"n": 3}\n', "assert data['n'] == 3\n"),
    ("page", {}, "<p>{{ method }}</p>\n", "assert 'GET' in render('GET').text\n"),
    ("function", {"language": "javascript"}, "function K() { return 3; }\n", "assert K() == 3\n"),
]


@pytest.mark.parametrize(("kind", "more", "code", "test"), KINDS)
def test_every_kind_is_checked_as_its_drafts_are_run(
    mira: Caller, worker: Drainer, kind: str, more: dict[str, Any], code: str, test: str
) -> None:
    function = define("K", kind=kind)
    publish_test(function, test)
    answer = checked(mira, function, implementation=code, **more)
    assert (answer["verdict"], answer["message"]) == ("passed", "")
    (cell,) = answer["cells"]
    draft = start_draft(
        actor=User.objects.get(username="mira"),
        function=function,
        model=Implementation,
        code=code,
        **more,
    )
    batch = run_draft(actor=draft.author, draft=draft)
    worker.drain()
    (result,) = (task.execution.result for task in batch.tasks.all() if not task.is_load_check)
    assert (cell["verdict"], cell["message"]) == (result.verdict, result.message)


def test_a_javascript_test_is_checked(mira: Caller, worker: Drainer, add: Function) -> None:
    implement(add, ADD)
    worker.drain()
    code = "assert.equal(Add(1, 2), 3);\n"
    (cell,) = checked(mira, add, test=code, language="javascript")["cells"]
    assert cell["verdict"] == "passed", cell
    assert not Test.objects.filter(code=code).exists()
