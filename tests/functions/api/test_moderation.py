"""Owners' and staff's acts over REST: the same rules as on the site."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from functions.models import AuditEntry, Function
from tests.functions.api.conftest import Caller, assert_problem
from tests.functions.api.test_openapi import conforms, schema
from tests.functions.api.test_works import begin, publish
from tests.support import builders as make

__all__ = ["schema"]  # a fixture


def test_a_function_is_renamed_archived_and_handed_on(
    mira: Caller, otto: Caller, staff: Caller, add: Function
) -> None:
    renamed = mira.post("/functions/Add/rename/", {"name": "Plus"})
    assert (renamed.status_code, renamed.json()["name"]) == (200, "Plus")
    assert mira.put("/functions/Plus/offer/", {"to": "otto"}).json()["offered_to"] == "otto"
    assert staff.get("/functions/Plus/").json()["offered_to"] == "otto"
    assert otto.call("DELETE", "/functions/Plus/offer/").json()["offered_to"] is None
    assert_problem(otto.post("/functions/Plus/offer/accept/"), 409, "no_offer")
    mira.put("/functions/Plus/offer/", {"to": "otto"})
    assert otto.post("/functions/Plus/offer/accept/").json()["owner"] == "otto"
    assert staff.post("/functions/Plus/transfer/", {"to": "mira"}).json()["owner"] == "mira"
    assert_problem(mira.put("/functions/Plus/offer/", {"to": "nobody"}), 422, "no_such_user")
    assert mira.post("/functions/Plus/archive/", {"reason": "old"}).json()["archived"] is True
    draft = otto.post("/functions/Plus/tests/", {"code": "assert 1"})
    assert_problem(draft, 409, "function_archived")
    assert [one["name"] for one in mira.get("/functions/").json()["items"]] == []
    assert len(mira.get("/functions/?archived=true").json()["items"]) == 1
    assert mira.post("/functions/Plus/unarchive/", {}).json()["archived"] is False
    log = otto.get("/functions/Plus/log/?limit=3").json()
    assert [one["act"] for one in log["items"]] == ["unarchived", "archived", "transferred"]
    assert log["items"][1]["reason"] == "old"
    rest = otto.get(f"/functions/Plus/log/?cursor={log['next']}").json()
    assert [one["act"] for one in rest["items"]][-1] == "renamed"
    assert_problem(mira.call("DELETE", "/functions/Nothing/"), 404, "not_found")
    assert mira.call("DELETE", "/functions/Plus/").status_code == 204
    assert otto.get("/functions/Plus/log/?act=deleted").json()["items"][0]["actor"] == "mira"


def test_a_definition_is_edited_by_its_owner_and_what_is_left_out_stays(
    mira: Caller, add: Function
) -> None:
    changed = mira.patch("/functions/Add/", {"description": "All of it."}).json()
    assert (changed["signature"], changed["description"]) == (add.signature, "All of it.")
    assert len(mira.get("/functions/Add/revisions/").json()["items"]) == 2
    mira.post("/functions/Add/archive/", {})
    assert_problem(mira.patch("/functions/Add/", {"signature": "()"}), 409, "function_archived")


@pytest.mark.parametrize("noun", ["implementations", "tests"])
def test_a_draft_is_discarded_by_its_author(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    draft = begin(otto, noun)["id"]
    assert otto.call("DELETE", f"/{noun}/{draft}/").status_code == 204
    assert_problem(otto.call("DELETE", f"/{noun}/{draft}/"), 404, "not_found")


@pytest.mark.parametrize("noun", ["implementations", "tests"])
def test_work_is_judged_by_its_functions_owner_and_withdrawn_by_its_author(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    pk = publish(otto, noun)
    verdict = {"acceptable": False, "reason": "copied"}
    shown = mira.put(f"/{noun}/{pk}/verdict/", verdict)
    assert (shown.status_code, shown.json()["owner_verdict"]) == (200, False)
    assert mira.put(f"/{noun}/{pk}/verdict/", {"acceptable": None}).json()["owner_verdict"] is None
    assert_problem(mira.put(f"/{noun}/{pk}/verdict/", {"acceptable": 1}), 400, "malformed")
    assert otto.post(f"/{noun}/{pk}/withdraw/").status_code == 202
    assert_problem(otto.post(f"/{noun}/{pk}/withdraw/"), 409, "not_published")


def test_flags_are_raised_by_anyone_and_answered_by_staff(
    mira: Caller, otto: Caller, staff: Caller, add: Function
) -> None:
    work = publish(mira, "implementations")
    raised = otto.post(f"/implementations/{work}/flag/", {"reason": "spam"})
    assert (raised.status_code, raised.json()["label"]) == (201, "#1")
    again = otto.post(f"/implementations/{work}/flag/", {"reason": "spam"})
    assert_problem(again, 409, "flagged_already")
    assert otto.post("/functions/Add/flag/", {"reason": "a joke"}).json()["kind"] == "function"
    assert_problem(otto.get("/staff/flags/"), 403, "not_staff")
    assert len(staff.get("/staff/flags/?limit=1").json()["items"]) == 1
    pk, answer = raised.json()["id"], {"upheld": False, "note": "it is none"}
    assert staff.post(f"/staff/flags/{pk}/resolve/", answer).json()["state"] == "dismissed"
    assert_problem(staff.post(f"/staff/flags/{pk}/resolve/", answer), 409, "flag_resolved")
    own = otto.get("/flags/").json()["items"]
    assert [(one["state"], one["note"]) for one in own] == [
        ("open", ""),
        ("dismissed", "it is none"),
    ]
    assert mira.get("/flags/").json()["items"] == []


def test_staff_suspend_an_account_whose_tokens_then_say_so(
    otto: Caller, staff: Caller, add: Function
) -> None:
    shut = {"reason": "Spam"}
    assert_problem(staff.put("/accounts/sam/suspension/", shut), 403, "own_account")
    assert_problem(staff.put("/accounts/ghost/suspension/", shut), 404, "not_found")
    assert_problem(staff.put("/accounts/otto/suspension/", {}), 422, "reason_required")
    assert staff.put("/accounts/otto/suspension/", shut).json()["suspended_by"] == "sam"
    assert_problem(staff.put("/accounts/otto/suspension/", shut), 409, "suspended_already")
    problem = assert_problem(otto.get("/functions/"), 401, "suspended")
    assert "by sam: Spam. Ask sam" in problem["detail"]
    listed = staff.get("/staff/suspensions/").json()["items"]
    assert [one["username"] for one in listed] == ["otto"]
    assert staff.call("DELETE", "/accounts/otto/suspension/").status_code == 204
    assert otto.get("/functions/").status_code == 200
    acts = staff.get("/staff/audit/?person=otto").json()["items"]
    assert [one["act"] for one in acts] == ["suspension_lifted", "suspended"]
    assert_problem(otto.get("/staff/audit/"), 403, "not_staff")
    assert_problem(staff.get("/staff/audit/?cursor=x"), 400, "malformed")


def test_answers_are_as_described_and_cost_as_much_for_ten_rows_as_for_one(
    otto: Caller, staff: Caller, add: Function, schema: dict[str, object]
) -> None:
    def costs() -> list[int]:
        counts = []
        for path, caller in (
            ("/flags/", otto),
            ("/staff/flags/", staff),
            ("/staff/audit/", staff),
            ("/functions/Add/log/", otto),
        ):
            with CaptureQueriesContext(
                connection,
            ) as queries:
                answer = caller.get(path)
            counts.append(len(queries))
            route = path.replace("Add", "{name}")
            spec = schema["paths"][f"/api/v1{route}"]["get"]["responses"]["200"]  # type: ignore[index]
            conforms(answer.json(), spec["content"]["application/json"]["schema"], schema, path)
        return counts

    def add_rows(number: int) -> None:
        for _ in range(number):
            work = make.implementation(add)
            otto.post(f"/implementations/{work.pk}/flag/", {"reason": "x"})
            staff.put(f"/implementations/{work.pk}/verdict/", {"acceptable": True})

    add_rows(1)
    first = costs()
    add_rows(9)
    assert (costs(), AuditEntry.objects.count()) == (first, 10)
