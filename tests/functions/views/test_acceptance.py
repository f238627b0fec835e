"""Acceptance tests as forms write them, and pages and programs see them."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.models import AcceptanceTest
from runner.models import Batch
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller, assert_problem
from tests.functions.views.conftest import SignedIn
from tests.support.works import account, constant, define, implement

pytestmark = pytest.mark.django_db(transaction=True)

BETA = "# <<Alpha>>\ndef Beta():\n    return Alpha() + 1\n"


def test_an_owner_writes_one_and_both_pages_flag_it(
    worker: Drainer, as_person: SignedIn, client: Client
) -> None:
    implement(define("Alpha", owner="ann"), constant("Alpha", 1))
    implement(define("Beta", owner="ben"), BETA)
    worker.drain()
    ben, new = as_person("ben"), "/functions/Beta/acceptance-tests/new/"
    assert new in ben.get("/functions/Beta/").content.decode()
    assert new not in as_person("ann").get("/functions/Beta/").content.decode()
    assert client.get(new).status_code == 302
    assert '<option value="Alpha">' in ben.get(new).content.decode()
    assert not AcceptanceTest.objects.exists()
    assert ben.post(new, {"target": "Gamma", "code": "x"}).status_code == 422
    path = ben.post(new, {"target": "Alpha", "code": "assert (", "title": "Two"})["Location"]
    assert client.get(path).status_code == 404
    assert ben.post(f"{path}publish/").status_code == 422
    assert ben.post(f"{path}edit/", {"code": "assert Alpha() == 2"})["Location"] == path
    for action in ("publish", "withdraw", "discard"):
        assert ben.get(f"{path}{action}/").status_code == 405
    assert ben.post(f"{path}publish/")["Location"] == path
    worker.drain()
    shown = client.get(path).content.decode()
    assert "does not pass it" in shown
    record = client.get(re.findall(r"/results/[0-9a-f]{64}/", shown)[0]).content.decode()
    assert "of Alpha, for Beta" in record
    run = Batch.objects.filter(cause__startswith="acceptance test").latest("pk")
    assert "of Alpha, for Beta" in client.get(f"/runs/{run.pk}/").content.decode()
    assert "fails 1 acceptance test" in client.get("/functions/Alpha/").content.decode()
    assert "1 of its acceptance tests fails" in client.get("/functions/Beta/").content.decode()
    counts = []
    for number in (0, 9):
        for _ in range(number):
            copy = AcceptanceTest.objects.latest("pk")
            copy.pk = None
            copy.save(force_insert=True)
        with CaptureQueriesContext(connection) as queries:
            client.get("/functions/Alpha/")
        counts.append(len(queries))
    assert counts[0] == counts[1]
    ben.post(f"{path}withdraw/")
    assert "does not pass it" not in client.get(path).content.decode()


def test_a_draft_of_one_is_saved_as_one_types_and_two_windows_never_overwrite_each_other(
    as_person: SignedIn,
) -> None:
    implement(define("Alpha", owner="ann"), constant("Alpha", 1))
    implement(define("Beta", owner="ben"), BETA)
    ben = as_person("ben")
    new = "/functions/Beta/acceptance-tests/new/"
    path = ben.post(new, {"target": "Alpha", "code": "assert 1", "title": ""})["Location"]
    edit, script = f"{path}edit/", {"Accept": "application/json"}
    assert 'name="version" value="1"' in ben.get(edit).content.decode()
    assert as_person("ann").get(edit).status_code == 404
    typed = {"code": "assert Alpha()\r\n", "title": "any", "version": "1"}
    for _ in range(2):  # once more, as the answer was lost
        assert ben.post(edit, typed, headers=script).json()["version"] == 2
    answer = ben.post(edit, {**typed, "code": "mine"}, headers=script)
    assert (answer.status_code, answer.json()["code"]) == (409, "edit_conflict")
    theirs = {"code": "assert Alpha()\n", "title": "any", "version": 2}
    assert answer.json()["theirs"] == theirs
    page = ben.post(edit, {**typed, "code": "mine"})
    assert page.status_code == 409
    assert "changed in another window" in page.content.decode()
    assert ">\nmine</textarea>" in page.content.decode()
    assert 'name="version" value="2"' in page.content.decode()
    too_long = ben.post(edit, {"title": "x" * 121, "version": "2"}, headers=script)
    assert too_long.status_code == 422
    test = AcceptanceTest.objects.get()
    assert (test.code, test.title, test.version) == ("assert Alpha()\n", "any", 2)
    # What it marks is linked, whatever that is.
    define("Extra")
    ben.post(edit, {"code": "# <<Extra>> <<Lost>>\nassert Alpha()", "version": "2"})
    shown = ben.get(path).content.decode()
    assert 'data-status="unimplemented" href="/functions/Extra/"' in shown
    assert 'data-status="missing"' in shown


def test_programs_write_list_and_withdraw_them(worker: Drainer) -> None:
    implement(define("Alpha", owner="ann"), constant("Alpha", 1))
    implement(define("Beta", owner="ben"), BETA)
    worker.drain()
    ben, ann, nobody = Caller(account("ben")), Caller(account("ann")), Caller()
    wanted = {"function": "Beta", "target": "Alpha", "code": "assert Alpha() == 2"}
    refused = ben.post("/acceptance-tests/", {**wanted, "target": "Beta"})
    assert_problem(refused, 422, "not_a_dependency")
    made = ben.post("/acceptance-tests/", wanted)
    assert (made.status_code, made.json()["state"]) == (201, "draft")
    one = f"/acceptance-tests/{made.json()['id']}/"
    assert_problem(nobody.get(one), 404, "not_found")
    assert ben.patch(one, {"title": "As we need it"}).json()["title"] == "As we need it"
    assert nobody.get("/acceptance-tests/?target=alpha").json() == {"items": []}
    assert len(ben.get("/acceptance-tests/?target=alpha").json()["items"]) == 1
    assert_problem(ann.post(f"{one}publish/"), 404, "not_found")
    assert ben.post(f"{one}publish/").json()["state"] == "published"
    worker.drain()
    (told,) = nobody.get("/acceptance-tests/?function=Beta").json()["items"]
    assert (told["verdict"], told["asleep"]) == ("failed", "")
    assert told["message"]
    assert nobody.get(f"/results/{told['key']}/").json()["verdict"] == "failed"
    assert ben.post(f"{one}withdraw/").json()["state"] == "withdrawn"
    assert_problem(ben.patch(one, {"title": "x"}), 409, "not_a_draft")
