"""Pages of owners and staff: their forms, the log, flags and the queue."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.models import Flag, Function
from functions.moderation.acceptability import judge_work
from functions.moderation.archive import archive_function
from functions.moderation.flags import flag_item
from socialcode.accounts.suspensions import suspend
from tests.functions.views.conftest import SignedIn
from tests.support.works import account, constant, define, implement, publish_test

pytestmark = pytest.mark.django_db
MANAGE = "/functions/Add/manage/"


def text(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def test_an_owner_renames_offers_and_archives_on_one_page(as_person: SignedIn) -> None:
    define("Add", owner="olga")
    owner, otto, eve = as_person("olga"), as_person("otto"), as_person("eve")
    assert eve.get(MANAGE).status_code == 403
    assert owner.post(MANAGE, {"act": "explode"}).status_code == 400
    assert MANAGE in text(owner, "/functions/Add/")
    assert "Hand over at once" not in text(owner, MANAGE)
    refused = owner.post(MANAGE, {"act": "rename", "name": "print"})
    assert (refused.status_code, b"built into Python" in refused.content) == (422, True)
    assert owner.post(MANAGE, {"act": "rename", "name": "Plus"})["Location"] == (
        "/functions/Plus/manage/"
    )
    owner.post("/functions/Plus/manage/", {"act": "offer", "to": "otto"})
    assert "offers you this function" in text(otto, "/functions/Plus/")
    assert "offers you this function" not in text(eve, "/functions/Plus/")
    assert "Accept Plus" in text(otto, "/flags/")
    assert eve.post("/functions/Plus/offer/", {"answer": "accept"}).status_code == 409
    otto.post("/functions/Plus/offer/", {"answer": "accept"})
    assert Function.objects.get().owner.username == "otto"
    otto.post("/functions/Plus/manage/", {"act": "archive", "reason": "too old"})
    assert "too old" in text(Client(), "/functions/Plus/log/")


def test_an_archived_function_says_so_and_offers_nothing_to_write(as_person: SignedIn) -> None:
    add = define("Add", owner="olga")
    implement(add, constant("Add", 1))
    implement(define("Top"), "# <<Add>>\n" + constant("Top", 1))
    archive_function(actor=account("olga"), function=add)
    eve = as_person("eve")
    page = text(eve, "/functions/Add/")
    assert "Archived" in page
    assert "vote in an archived function" in page
    assert "New test" not in page
    assert "Copy &amp; edit" not in page
    assert "Copy &amp; edit" not in text(Client(), "/functions/Add/")
    assert eve.post("/functions/Add/tests/new/").status_code == 422
    assert '<span class="tag">archived</span>' in text(eve, "/functions/Top/")
    assert "/functions/Add/" not in text(eve, "/?status=implemented")
    assert "/functions/Add/" in text(eve, "/?status=archived")


def test_a_verdict_says_whose_it_was_also_when_the_owner_has_changed(as_person: SignedIn) -> None:
    add = define("Add", owner="olga")
    work = implement(add, constant("Add", 1))
    judge_work(actor=account("sam", is_staff=True), work=work, acceptable=False, reason="copied")
    assert "Marked unacceptable by sam." in text(Client(), "/functions/Add/")
    assert 'href="/functions/Add/#I1"' in text(Client(), "/functions/Add/log/")


def test_something_is_flagged_answered_and_read(as_person: SignedIn) -> None:
    test = publish_test(define("Add"), "assert Add()")
    account("sam", is_staff=True)
    fay, sam = as_person("fay"), as_person("sam")
    path = f"/flags/test/{test.pk}/"
    assert path in text(fay, "/functions/Add/")
    assert "Flag Add T1" in text(fay, path)
    assert fay.post(path, {"reason": ""}).status_code == 422
    assert fay.post(path, {"reason": "asserts nothing"}).status_code == 302
    assert fay.post(path, {"reason": "again"}).status_code == 422
    assert fay.get("/flags/planet/1/").status_code == 404
    assert "not reviewed yet" in text(fay, "/flags/")
    for address in ("/staff/", "/staff/flags/"):
        assert "asserts nothing" in text(sam, address)
    resolve = f"/staff/flags/{Flag.objects.get().pk}/"
    sam.post(resolve, {"outcome": "upheld", "note": ""})
    assert Flag.objects.get().state == "open"
    sam.post(resolve, {"outcome": "upheld", "note": "it does not count now"})
    assert "it does not count now" in text(fay, "/flags/")
    assert "asserts nothing" not in text(sam, "/staff/flags/")
    assert "asserts nothing" in text(sam, "/staff/flags/?state=upheld")
    assert "it does not count now" in text(sam, "/staff/audit/?act=flag_upheld&actor=sam")
    assert "it does not count now" in text(Client(), "/functions/Add/log/")


def test_staffs_pages_are_staffs_and_wrong_questions_have_no_answer(as_person: SignedIn) -> None:
    account("sam", is_staff=True)
    eve, sam = as_person("eve"), as_person("sam")
    for address in ("/staff/", "/staff/audit/", "/staff/flags/", "/staff/suspended/"):
        assert sam.get(address).status_code == 200
        assert eve.get(address).status_code == 403
        assert Client().get(address)["Location"].startswith("/accounts/login/")
    for address in ("audit/?act=x", "audit/?cursor=x", "flags/?state=x", "flags/?cursor=x"):
        assert sam.get(f"/staff/{address}").status_code == 404
    for address in ("/functions/Nothing/log/", "/flags/?cursor=x", "/staff/suspended/?cursor=x"):
        assert sam.get(address).status_code == 404


def test_pages_cost_as_much_for_ten_rows_as_for_one(as_person: SignedIn) -> None:
    add, sam, olga = define("Add"), account("sam", is_staff=True), account("olga")
    clients = {"fay": as_person("fay"), "sam": as_person("sam")}

    def add_rows(first: int, last: int) -> None:
        for number in range(first, last):
            work = implement(add, constant("Add", number))
            judge_work(actor=olga, work=work, acceptable=False, reason="no")
            flag_item(actor=account("fay"), kind=work.noun, item_id=work.pk, reason="x")
            other = define(f"Other{number}")
            Function.objects.filter(pk=other.pk).update(offered_to=account("fay"))
            account(f"user{number}")
            suspend(actor=sam, username=f"user{number}", reason="spam")

    def costs() -> list[int]:
        counts = []
        for name, path in (
            ("fay", "/flags/"),
            ("fay", "/functions/Add/log/"),
            ("fay", "/functions/Add/"),
            *(("sam", f"/staff/{page}") for page in ("", "flags/", "audit/", "suspended/")),
        ):
            with CaptureQueriesContext(connection) as queries:
                text(clients[name], path)
            counts.append(len(queries))
        return counts

    add_rows(0, 1)
    costs()  # what is prepared once
    few = costs()
    add_rows(1, 10)
    assert costs() == few
