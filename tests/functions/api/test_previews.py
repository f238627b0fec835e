"""Previews over the API: asked for, then read until all is told."""

import pytest

from functions.models import Function, Preview
from runner.models import Batch
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller, assert_problem
from tests.support.works import constant, define, draft_implementation, implement

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_change_is_previewed_and_its_effects_are_read(
    worker: Drainer, mira: Caller, otto: Caller, nobody: Caller
) -> None:
    base = define("Base", owner="mira")
    work = implement(base, constant("Base", 1), author="mira")
    draft = draft_implementation(base, "def Base():\n    return 1 / 0\n", author="mira")
    implement(define("Top"), "# <<Base>>\nvalue = Base()\ndef Top():\n    return value\n")
    worker.drain()
    path = f"/implementations/{draft.pk}/preview/"
    started = mira.post(path, {"change": "publish"}, **{"Idempotency-Key": "k"})
    assert started.status_code == 202
    assert (
        mira.post(path, {"change": "publish"}, **{"Idempotency-Key": "k"}).json() == started.json()
    )
    assert started.json()["batch"] == Batch.objects.latest("pk").pk
    one = f"/previews/{started.json()['preview']}/"
    worker.drain()
    told = mira.get(one).json()
    assert (told["change"], told["function"], told["ahead"]) == ("publish", "Base", 0)
    (effect,) = told["effects"]
    assert (effect["function"], effect["fate"], effect["current"]) == ("Top", "breaks", "#1")
    assert effect["elected"] is None
    assert "ZeroDivisionError" in effect["reason"]
    assert told["own"]["after"] == "your draft"
    for path, body in (
        (f"/implementations/{work.pk}/preview/", {"change": "withdraw"}),
        (f"/implementations/{work.pk}/preview/", {"change": "reject"}),
        ("/functions/Base/preview/", None),
    ):
        one = f"/previews/{mira.post(path, body).json()['preview']}/"
        worker.drain()
        assert [row["fate"] for row in mira.get(one).json()["effects"]] == ["breaks"]
    assert_problem(otto.get(one), 404, "not_found")
    assert_problem(nobody.get(one), 404, "not_found")
    assert_problem(mira.post("/tests/999/preview/", {"change": "publish"}), 404, "not_found")
    assert_problem(mira.post(path.replace("functions", "tests"), {}), 404, "not_found")
    assert Preview.objects.count() == 4
    assert Function.objects.get(pk=base.pk).elected == work
