"""A function changes hands: offered and accepted, or by staff at once; all of it is logged."""

from typing import Any

import pytest

from functions.authoring import delete_function, revise_function
from functions.errors import Refusal
from functions.models import AuditEntry, Dependency, Function, Watch
from functions.moderation.acceptability import judge_work
from functions.moderation.archive import archive_function, unarchive_function
from functions.moderation.ownership import (
    accept_function,
    end_offer,
    offer_function,
    transfer_function,
)
from runner.models import OutboxEvent
from tests.support.refusals import code_of
from tests.support.threads import run_together
from tests.support.works import account, constant, define, implement

pytestmark = pytest.mark.django_db


def owner_of(function: Function) -> str:
    function.refresh_from_db()
    return function.owner.get_username()


def acts() -> list[str]:
    return list(AuditEntry.objects.order_by("id").values_list("act", flat=True))


def test_it_passes_when_the_other_accepts_and_not_before() -> None:
    add, otto = define("Add", owner="olga"), account("otto")
    offer_function(actor=account("olga"), function=add, to="OTTO")
    assert owner_of(add) == "olga"
    given: dict[str, Any] = {"actor": otto, "function": add, "signature": "()", "description": ""}
    assert code_of(revise_function, **given) == "not_yours"
    assert code_of(accept_function, actor=account("eve"), function=add) == "no_offer"
    accept_function(actor=otto, function=add)
    assert (owner_of(add), add.offered_to) == ("otto", None)
    assert Watch.objects.filter(function=add, user=otto, watching=True).exists()
    revise_function(**given)
    assert code_of(delete_function, actor=account("olga"), function=add) == "not_yours"
    entries = AuditEntry.objects.order_by("id").values_list("actor__username", "person__username")
    assert acts() == ["offered", "offer_accepted"]
    assert list(entries) == [("olga", "otto"), ("otto", "olga")]


def test_an_offer_is_taken_back_or_declined_and_then_cannot_be_accepted() -> None:
    add, olga, otto = define("Add", owner="olga"), account("olga"), account("otto")
    for ender in (olga, otto):
        offer_function(actor=olga, function=add, to="otto")
        end_offer(actor=ender, function=add)
        assert code_of(accept_function, actor=otto, function=add) == "no_offer"
        assert code_of(end_offer, actor=olga, function=add) == "no_offer"
    assert owner_of(add) == "olga"
    assert acts() == ["offered", "offer_ended", "offered", "offer_declined"]


def test_who_cannot_have_it_is_refused_at_the_field() -> None:
    add = define("Add", owner="olga")
    account("shut").__class__.objects.filter(username="shut").update(is_active=False)
    for to, code in (("olga", "owns_it_already"), ("shut", "no_such_user"), ("x" * 200, None)):
        with pytest.raises(Refusal) as refused:
            offer_function(actor=account("olga"), function=add, to=to)
        assert (refused.value.code, refused.value.field) == (code or "no_such_user", "to")


def test_staff_hand_over_at_once() -> None:
    add, otto = define("Add", owner="olga"), account("otto")
    offer_function(actor=account("olga"), function=add, to="eve" if account("eve") else "")
    transfer_function(actor=account("root", is_staff=True), function=add, to="otto")
    assert (owner_of(add), add.offered_to) == ("otto", None)
    assert acts()[-1] == "transferred"
    assert AuditEntry.objects.latest("id").person == otto


def test_the_last_owner_has_the_name_of_what_was_deleted() -> None:
    add = define("Add", owner="olga")
    implement(define("Double"), "# <<Add>>\n" + constant("Double", 1))
    offer_function(actor=account("olga"), function=add, to=account("otto").username)
    accept_function(actor=account("otto"), function=add)
    delete_function(actor=account("otto"), function=add)
    assert code_of(define, "Add", owner="olga") == "name_guarded"
    assert Dependency.objects.get().target is None
    assert define("Add", owner="otto") == Dependency.objects.get().target


@pytest.mark.django_db(transaction=True)
def test_accepted_and_taken_back_at_once_it_has_one_owner_and_one_log() -> None:
    add = define("Add", owner="olga")
    offer_function(actor=account("olga"), function=add, to=account("otto").username)

    def answer(who: str) -> str:
        act = accept_function if who == "otto" else end_offer
        try:
            act(actor=account(who), function=add)
        except Refusal as refusal:
            return refusal.code
        return who

    outcomes = run_together(answer, ["otto", "olga"])
    won = owner_of(add) == "otto"
    assert (outcomes[0] == "otto") == won
    assert outcomes[1] in (("not_yours",) if won else ("olga",))
    assert acts()[-1] == ("offer_accepted" if won else "offer_ended")
    assert len(acts()) == 2


def test_open_pages_are_told_what_owners_do() -> None:
    add, olga = define("Add", owner="olga"), account("olga")
    work = implement(add, constant("Add", 1))
    account("otto")
    revise_function(actor=olga, function=add, signature="(a)", description="")
    judge_work(actor=olga, work=work, acceptable=True)
    offer_function(actor=olga, function=add, to="otto")
    archive_function(actor=olga, function=add)
    unarchive_function(actor=olga, function=add)
    accept_function(actor=account("otto"), function=add)
    rows = OutboxEvent.objects.filter(topic__name=add.topic).order_by("id")
    events = [event for row in rows for event in row.events]
    told = [payload for kind, payload in events if kind == "function.changed"]
    assert [each["says"] for each in told] == [
        "olga edited the definition.",
        "olga accepted #1.",
        "olga offered ownership to otto.",
        "olga archived.",
        "olga took out of the archive.",
        "otto accepted ownership from olga.",
    ]
    assert {each["url"] for each in told} == {"/functions/Add/"}
