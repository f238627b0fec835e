"""Whatever authors do at the same time, and whatever dies: in the end no document is stale."""

import json
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from functions.authoring import define_function, delete_function, withdraw
from functions.contests.evaluation import enqueue_reconcile
from functions.document_revisions.edits import put_document
from functions.errors import Refusal
from functions.kinds.document_source import find_links
from functions.maintenance.verification import find_differences
from functions.models import Document, Function, Implementation, Test, Work
from runner.models import Batch, FollowUp
from runner.operations.sweeper import sweep
from runner.sandbox import Pool
from runner.states import BatchState
from runner.workers.drainer import Drainer
from tests.patience import await_that
from tests.support.batch_end import all_batches_end
from tests.support.batches import expire_leases, make_due, worker_process
from tests.support.threads import run_together
from tests.support.works import account, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)

# Links mostly lead to names before; the others make cycles.
NAMES = ("Ash", "Beech", "Cedar", "Elm", "Fir", "Gorse")
TRANSFORM = "Stamp"
STAMP = "def Stamp(data):\n    return {{'stamp': {number}, 'of': data}}\n"
STEPS = 24


class Authors:
    """People who write documents that link each other, at random; a seed makes them do it again."""

    def __init__(self, seed: object) -> None:
        self.chance = random.Random(str(seed))  # noqa: S311 - no secrets

    def act(self) -> None:
        """Do one thing."""
        acts: list[Callable[[], object]] = [
            *[self.write] * 5,
            *[self.revise] * 4,
            *[self.vote] * 2,
            *[self.stamp] * 2,
            self.test,
            self.withdraw,
            self.delete,
            self.repeat,
        ]
        try:
            self.chance.choice(acts)()
        except Refusal:
            return

    def write(self) -> None:
        name = self.chance.choice(NAMES)
        function = Function.objects.filter(name=name, deleted_at=None).first()
        function = function or define_function(actor=account("olga"), name=name, kind="document")
        implement(function, self.text(name), author=self.person())

    def revise(self) -> None:
        elected = Function.objects.filter(
            kind="document", deleted_at=None, elected__isnull=False
        ).order_by("id")
        function = self.one_of(elected.select_related("elected__author"))
        put_document(
            actor=function.elected.author, function=function, code=self.text(function.name)
        )

    def stamp(self) -> None:
        function = Function.objects.filter(name=TRANSFORM, deleted_at=None).first()
        function = function or define_function(actor=account("olga"), name=TRANSFORM)
        implement(function, STAMP.format(number=self.chance.randrange(9)), author=self.person())

    def test(self) -> None:
        function = self.one_of(Function.objects.filter(kind="document", deleted_at=None))
        publish_test(function, f'assert data["n"] != {self.chance.randrange(9)}\n', author="tess")

    def vote(self) -> None:
        published = Implementation.objects.filter(state=Work.State.PUBLISHED)
        vote(self.one_of(published), **{self.chance.choice(("up", "down")): self.person()})

    def withdraw(self) -> None:
        work = self.one_of(self.chance.choice((Implementation, Test)).objects.order_by("id"))
        withdraw(actor=work.author, work=work)

    def delete(self) -> None:
        function = self.one_of(Function.objects.filter(deleted_at=None))
        delete_function(actor=account("olga"), function=function)

    def repeat(self) -> None:
        """Have elections held that nothing asked for, as if a follow-up came twice."""
        enqueue_reconcile(Function.objects.values_list("pk", flat=True), cause="again")

    def text(self, name: str) -> str:
        """Return the JSON of a document."""
        value: dict[str, Any] = {"n": self.chance.randrange(9), "by": self.chance.random()}
        for member in ("first", "second"):
            target = self.chance.choice(NAMES)
            if target != name and (target < name or self.chance.random() < 0.1):
                value[member] = {"key": target}
                if self.chance.random() < 0.3:
                    value[member]["transform"] = TRANSFORM
        return json.dumps(value)

    def person(self) -> str:
        return self.chance.choice(("ann", "bob", "carl"))

    def one_of(self, rows: Any) -> Any:
        found = list(rows.order_by("id"))
        if not found:
            raise Refusal("nothing", "There is none.")
        return self.chance.choice(found)


def expected_documents() -> dict[str, Any]:
    """Return what current documents are with links expanded, from the elected texts alone.

    One that is blocked, because it needs a transform that isn't implemented, keeps its election
    and what it was: it is left out.
    """
    living = Function.objects.filter(deleted_at=None, elected__isnull=False)
    found = living.select_related("elected")
    codes = {each.name: each.elected.code for each in found if each.elected}
    stamp: dict[str, Any] = {}
    exec(codes.pop(TRANSFORM, ""), stamp)  # noqa: S102 - the code is of this file

    def is_blocked(name: str) -> bool:
        links = list(find_links(json.loads(codes[name])))
        if TRANSFORM not in stamp and any(link.transform for link in links):
            return True
        return any(is_blocked(link.key) for link in links if link.key in codes)

    def expand(name: str) -> Any:
        value = json.loads(codes[name])
        for link in find_links(value):
            (member,) = link.path
            if link.key not in codes:
                value[member]["link_missing"] = True
            else:
                linked = expand(link.key)
                value[member] = stamp[TRANSFORM](linked) if link.transform else linked
        return value

    return {name: expand(name) for name in codes if not is_blocked(name)}


def assert_fresh() -> None:
    expected = expected_documents()
    living = Document.objects.filter(function__deleted_at=None)
    stored = dict(living.values_list("function__name", "expanded"))
    assert {name: stored.get(name) for name in expected} == expected
    elected = Function.objects.filter(kind="document", deleted_at=None, elected__isnull=False)
    assert stored.keys() == set(elected.values_list("name", flat=True))
    assert list(find_differences()) == []
    assert not FollowUp.objects.exists()
    assert all_batches_end()


def test_a_document_without_its_transform_is_blocked_and_stays_as_it_was(worker: Drainer) -> None:
    authors = Authors("blocked")
    authors.stamp()
    for name, text in (
        ("Ash", '{"n": 1}'),
        ("Beech", '{"n": 2, "first": {"key": "Ash", "transform": "Stamp"}}'),
    ):
        function = define_function(actor=account("olga"), name=name, kind="document")
        implement(function, text, author="ann")
    worker.drain()
    assert_fresh()
    (before,) = Document.objects.filter(function__name="Beech").values_list("expanded", flat=True)
    for work in Implementation.objects.filter(function__name=TRANSFORM):
        withdraw(actor=work.author, work=work)
    worker.drain()
    assert_fresh()
    (after,) = Document.objects.filter(function__name="Beech").values_list("expanded", flat=True)
    assert after == before
    assert set(before["first"]) == {"of", "stamp"}


def is_settled_by(worker: Drainer) -> bool:
    """Have this worker do what is left, also of others that have died."""
    expire_leases()
    sweep()
    make_due()
    worker.drain()
    return not Batch.objects.filter(state=BatchState.OPEN).exists()


@pytest.fixture(scope="module")
def second_worker(django_db_setup: None) -> Iterator[Drainer]:
    with Drainer(Pool(1), "the second worker") as drainer:
        yield drainer


@pytest.mark.parametrize("seed", range(3))
def test_no_document_is_stale_after_changes_at_the_same_time(
    worker: Drainer, second_worker: Drainer, seed: int
) -> None:
    workers = (worker, second_worker)

    def live(number: int) -> None:
        authors = Authors((seed, number))
        for _ in range(STEPS):
            workers[number].drain() if number < len(workers) else authors.act()

    run_together(live, range(5))
    for each in workers:
        each.drain()
    assert_fresh()
    assert Document.objects.exists()


@pytest.mark.parametrize("seed", range(2))
def test_no_document_is_stale_after_workers_were_killed(
    worker: Drainer, tmp_path: Path, seed: int
) -> None:
    authors = Authors((seed, "kills"))
    for _ in range(3):
        with worker_process(tmp_path) as killed:
            for _ in range(STEPS // 2):
                authors.act()
            killed.send_signal(signal.SIGKILL)
            killed.wait()
    await_that(lambda: is_settled_by(worker), what="what they left is done")
    assert_fresh()
    assert Document.objects.exists()
