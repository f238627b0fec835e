"""One's own votes and each change of them: kept with the vote, shown to the voter alone."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test import Client

from functions.authoring import delete_function
from functions.models import Implementation, Vote, VoteChange
from functions.moderation.comments import hide_comment, write_comment
from functions.read_models.votes import own_vote_changes, own_votes
from functions.voting.history import remove_old_changes
from functions.voting.votes import cast_vote, cast_votes
from tests.functions.views.conftest import SignedIn, as_person
from tests.support import builders as make
from tests.support.works import account, constant, define, implement, publish_test

__all__ = ["as_person"]  # a fixture
pytestmark = pytest.mark.django_db


def cast(work: Implementation, *values: int, by: str = "ann") -> None:
    for value in values:
        cast_vote(actor=account(by), work=work, value=value)


def changes(name: str = "ann") -> list[tuple[int, int]]:
    return [(row.former, row.value) for row in own_vote_changes(account(name)).rows]


def test_each_change_is_kept_and_what_changes_nothing_is_not() -> None:
    work = make.implementation(make.function())
    cast(work, 0, 1, 1, -1, 0, 0, 1)
    assert changes() == [(0, 1), (-1, 0), (1, -1), (0, 1)]
    (vote,) = own_votes(account("ann")).rows
    assert (vote.value, vote.at) == (1, own_vote_changes(account("ann")).rows[0].at)
    cast(work, 0)
    assert own_votes(account("ann")).rows == ()
    cast_votes(work=work, values={account("bob"): 1, account("eve"): -1})
    assert (changes("bob"), changes("eve"), len(changes())) == ([(0, 1)], [(0, -1)], 5)


def test_a_vote_that_is_rolled_back_leaves_no_history() -> None:
    work = make.implementation(make.function())
    with transaction.atomic():
        cast(work, 1)
        transaction.set_rollback(True)
    assert not VoteChange.objects.exists()
    assert not Vote.objects.exists()


def test_votes_are_paged_newest_first_with_what_they_are_on() -> None:
    add, gone = define("Add"), define("Gone")
    work, test = implement(add, constant("Add", 1)), publish_test(add, "assert Add()")
    lost = implement(gone, constant("Gone", 1))
    said = write_comment(actor=account("ida"), subject=add, text="Hm")
    hidden = write_comment(actor=account("ida"), subject=add, text="Rude")
    ann = account("ann")
    for item in (work, test, lost, said, hidden):
        cast_vote(actor=ann, work=item, value=1)
    delete_function(actor=account("olga"), function=gone)
    hide_comment(actor=account("olga"), comment=hidden, reason="rude")
    for read in (own_votes, own_vote_changes):
        first = read(ann, limit=2)
        last = read(ann, limit=3, cursor=first.next)
        assert last.next == ""
        assert [(row.function, row.label, row.url) for row in (*first.rows, *last.rows)] == [
            ("Add", "", ""),
            ("Add", "", said.get_absolute_url()),
            ("Gone", "#1", ""),
            ("Add", "T1", "/functions/Add/#T1"),
            ("Add", "#1", "/functions/Add/#I1"),
        ]


def test_the_page_is_the_voters_alone(as_person: SignedIn) -> None:
    cast(implement(define("Add"), constant("Add", 1)), 1, -1, 0, 1)
    ann, bob = as_person("ann"), as_person("bob")
    assert "/functions/Add/#I1" in ann.get("/votes/").content.decode()
    history = ann.get("/votes/?show=history").content.decode()
    for words in ("voted up", "changed from up to down", "took back the vote down"):
        assert words in history
    for path in ("/votes/", "/votes/?show=history"):
        assert "/functions/Add/#I1" not in bob.get(path).content.decode()
        assert Client().get(path).status_code == 302
    for path in ("/votes/?show=all", "/votes/?cursor=x"):
        assert ann.get(path).status_code == 404


def test_old_changes_are_removed_and_votes_stay() -> None:
    work = make.implementation(make.function())
    cast(work, 1, -1)
    VoteChange.objects.filter(value=1).update(changed_at=Now() - timedelta(days=731))
    assert remove_old_changes(0) == 0
    assert (changes(), Vote.objects.get().value) == ([(1, -1)], -1)


def test_pages_are_read_from_indexes() -> None:
    ann = account("ann")
    with connection.cursor() as cursor:
        cursor.execute("set local enable_seqscan = off; set local enable_sort = off")
    for model, index in ((Vote, "vote_of_voter"), (VoteChange, "vote_change_of_voter")):
        plan = model.objects.filter(voter=ann).order_by("-pk")[:51].explain()
        assert (index in plan, "Sort" in plan) == (True, False)
