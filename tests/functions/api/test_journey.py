"""The whole of it as a program does it, against a running site with its workers."""

import json
import time
import urllib.error
import urllib.request
from typing import Any

from django.contrib.auth.models import User

from tests.patience import PATIENCE_SECONDS
from tests.support.site import Site


class Program:
    """A client over HTTP."""

    def __init__(self, site: Site) -> None:
        self.base = f"{site.url}/api/v1"
        self.token = ""

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        """Call and return status and answer."""
        request = urllib.request.Request(
            f"{self.base}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            response = urllib.request.urlopen(request, timeout=PATIENCE_SECONDS)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            is_problem = response.headers["Content-Type"] == "application/problem+json"
            assert is_problem == (response.status >= 400)
            return response.status, json.load(response)

    def sign_in(self, name: str) -> None:
        """Make an account and get its token."""
        User.objects.create_user(name, password="correct horse")
        status, answer = self.call(
            "POST", "/tokens/", {"username": name, "password": "correct horse"}
        )
        assert status == 201
        self.token = answer["token"]

    def publish(self, noun: str, name: str, code: str) -> tuple[int, dict[str, Any]]:
        """Publish work and wait until its batch is complete; return the work's id and the batch."""
        _, draft = self.call("POST", f"/functions/{name}/{noun}/", {"code": code})
        status, started = self.call("POST", f"/{noun}/{draft['id']}/publish/")
        assert status == 202
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            _, batch = self.call("GET", f"/batches/{started['batch']}/")
            if batch["state"] != "open":
                return draft["id"], batch
            time.sleep(0.05)
        raise AssertionError(f"still open: {batch}")


def test_a_program_defines_tests_implements_and_builds_upon(live_site: Site) -> None:
    mira, otto = Program(live_site), Program(live_site)
    mira.sign_in("mira")
    otto.sign_in("otto")
    status, _ = mira.call("POST", "/functions/", {"name": "Add", "signature": "(a, b)"})
    assert status == 201
    test, _ = mira.publish("tests", "Add", "assert Add(2, 3) == 5\n")
    wrong, batch = otto.publish("implementations", "Add", "def Add(a, b):\n    return a\n")
    assert batch["state"] == "complete"
    assert batch["verdicts"]["failed"] == 1
    right, _ = otto.publish(
        "implementations", "Add", "def Add(a, b):\n    log('adding')\n    return a + b\n"
    )
    _, add = mira.call("GET", "/functions/add/")
    assert (add["status"], add["elected"], add["untested"]) == ("implemented", right, False)
    standings = {one["id"]: one["standing"] for one in add["implementations"]}
    assert standings == {right: "eligible", wrong: "failing"}
    squares = {(one["implementation"], one["test"]): one for one in add["cells"]}
    assert squares[wrong, test]["verdict"] == "failed"
    assert squares[right, test]["current"] is True

    _, result = mira.call("GET", f"/results/{squares[right, test]['key']}/")
    assert [line["text"] for line in result["log"]] == ["adding"]
    assert "Add" in [module["name"] for module in result["modules"]]

    mira.call("POST", "/functions/", {"name": "Double"})
    mira.publish("implementations", "Double", "# <<Add>>\ndef Double(a):\n    return Add(a, a)\n")
    _, double = mira.call("GET", "/functions/Double/")
    assert (double["status"], double["untested"]) == ("implemented", True)
    assert double["depends_on"] == [{"name": "Add", "status": "implemented"}]
    _, add = mira.call("GET", "/functions/Add/")
    assert add["depended_on_by"] == [{"name": "Double", "status": "implemented"}]
    _, events = mira.call("GET", f"/topics/{add['topic']}/events?after=0")
    assert {"batch.submitted", "task.finished", "batch.finished", "standing.changed"} <= {
        event["type"] for event in events["events"]
    }


def test_what_never_reaches_the_api_is_a_problem_on_a_real_server_too(live_site: Site) -> None:
    program = Program(live_site)
    status, problem = program.call("GET", "/nothing/")
    assert (status, problem["code"]) == (404, "not_found")
    program.sign_in("mira")
    status, problem = program.call("POST", "/functions/", {"name": "x" * 10_000_000})
    assert (status, problem["code"]) == (413, "too_large")
    program.token = "wrong"
    status, problem = program.call("GET", "/functions/")
    assert (status, problem["code"]) == (401, "invalid_token")
