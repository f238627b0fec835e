"""Whatever people do, in whatever order: the end is what the rules make of it."""

import random
from collections.abc import Callable, Iterator

import pytest

from functions.acceptance import publish_acceptance_test, start_acceptance_test
from functions.authoring import delete_function, withdraw
from functions.errors import Refusal
from functions.maintenance.verification import find_differences
from functions.models import Function, Implementation, Test, Work
from functions.moderation.acceptability import judge_work
from functions.moderation.archive import archive_function, unarchive_function
from runner.models import FollowUp
from runner.sandbox import Pool
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.threads import run_together
from tests.support.works import account, define, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("Ash", "Beech", "Cedar", "Elm")
STEPS = 30


@pytest.fixture(scope="module")
def second_worker(django_db_setup: None) -> Iterator[Drainer]:
    """Start another worker, so that elections meet each other."""
    with Drainer(Pool(1), "the second worker") as drainer:
        yield drainer


class Crowd:
    """People who do things at random, as far as they may; a seed makes them do it again."""

    def __init__(self, seed: object) -> None:
        self.chance = random.Random(str(seed))  # noqa: S311 - no secrets

    def act(self) -> None:
        """Do one thing."""
        doings: list[Callable[[], object]] = [
            *[self.implement] * 4,
            *[self.test] * 2,
            *[self.vote] * 4,
            *[self.judge] * 2,
            self.withdraw,
            self.delete,
            *[self.define] * 2,
            self.accept,
            self.archive,
        ]
        try:
            self.chance.choice(doings)()
        except Refusal:
            return

    def define(self) -> None:
        define(self.chance.choice(NAMES))

    def implement(self) -> None:
        function = self.function()
        uses = [name for name in NAMES if name != function.name and self.chance.random() < 0.3]
        markers = "".join(f"# <<{name}>>\n" for name in uses)
        calls = "".join(f" + {name}(n - 1)" for name in uses)
        value = self.chance.randrange(3)
        body = f"    return {value} + (n and 0{calls})\n"
        implement(function, f"{markers}def {function.name}(n=2):\n{body}")

    def test(self) -> None:
        function = self.function()
        publish_test(function, f"assert {function.name}() != {self.chance.randrange(4)}\n")

    def vote(self) -> None:
        sign = self.chance.choice(("up", "down"))
        vote(self.work(), **{sign: self.chance.choice(("ann", "bob", "carl"))})

    def judge(self) -> None:
        acceptable = self.chance.choice((True, False, None))
        judge_work(actor=account("olga"), work=self.work(), acceptable=acceptable)

    def withdraw(self) -> None:
        work = self.work()
        withdraw(actor=work.author, work=work)

    def delete(self) -> None:
        delete_function(actor=account("olga"), function=self.function())

    def accept(self) -> None:
        function, target = self.function(), self.chance.choice(NAMES)
        code = f"assert {target}() != {self.chance.randrange(4)}\n"
        olga = account("olga")
        test = start_acceptance_test(actor=olga, function=function, target=target, code=code)
        publish_acceptance_test(actor=olga, test=test)

    def archive(self) -> None:
        function = self.function()
        change = unarchive_function if function.archived_at else archive_function
        change(actor=account("olga"), function=function)

    def function(self) -> Function:
        found = list(Function.objects.filter(deleted_at=None).order_by("id"))
        return self.chance.choice(found) if found else define("Ash")

    def work(self) -> Implementation | Test:
        works: list[Implementation | Test] = [
            *Implementation.objects.filter(state=Work.State.PUBLISHED).order_by("id"),
            *Test.objects.filter(state=Work.State.PUBLISHED).order_by("id"),
        ]
        if not works:
            raise Refusal("nothing", "There is nothing to vote on.")
        return self.chance.choice(works)


def assert_settled() -> None:
    assert list(find_differences()) == []
    assert not FollowUp.objects.exists()
    assert all_batches_end()
    assert not Function.objects.filter(deleted_at=None, judging=True).exists()


@pytest.mark.parametrize("seed", range(4))
def test_one_after_another_ends_as_the_rules_say(worker: Drainer, seed: int) -> None:
    crowd = Crowd(seed)
    for _ in range(STEPS):
        crowd.act()
        if crowd.chance.random() < 0.2:
            worker.drain()
            assert_settled()
    worker.drain()
    assert_settled()


@pytest.mark.parametrize("seed", range(3))
def test_all_at_once_ends_as_the_rules_say(
    worker: Drainer, second_worker: Drainer, seed: int
) -> None:
    for name in NAMES:
        define(name)
    workers = (worker, second_worker)

    def live(number: int) -> None:
        crowd = Crowd((seed, number))
        for _ in range(STEPS // 2):
            workers[number].drain() if number < len(workers) else crowd.act()

    run_together(live, range(5))
    for each in workers:
        each.drain()
    assert_settled()
