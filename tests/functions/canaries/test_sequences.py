"""After any elections, and wherever a worker is killed, canaries are told what is true."""

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.db import connection, transaction

from functions.authoring import define_function, delete_function, withdraw
from functions.canaries.notices import TELL, sweep_canaries, tell
from functions.errors import Refusal
from functions.models import Canary, Function, Implementation, WebhookDelivery
from runner.models import FollowUp
from runner.workers.drainer import Drainer
from tests.functions.canaries.test_notices import assert_in_step, change_add, register, told
from tests.support.crashes import in_child
from tests.support.works import account, implement, vote

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ("Add", "Twice", "Thrice")


@contextmanager
def killed_at(table: str, *, after: bool) -> Iterator[None]:
    """Kill this process at the first statement that writes to the table, before or after it."""

    def execute(run: Callable[..., Any], sql: str, *given: Any) -> Any:
        is_meant = table in sql and not sql.startswith("SELECT")
        if is_meant and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = run(sql, *given)
        if is_meant:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    with connection.execute_wrapper(execute):
        yield


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    "table", ["functions_webhookdelivery", "functions_lockedrelease", "functions_canary"]
)
def test_a_worker_that_is_killed_while_it_tells_leaves_it_to_the_next(
    library: dict[str, Function], worker: Drainer, table: str, after: bool
) -> None:
    canary = register(Thrice=1)
    implement(library["Add"], "def Add(a, b):\n    return b + a\n", author="eve")
    worker.drain()
    Canary.objects.update(sequence=0)
    WebhookDelivery.objects.all().delete()
    canary.locked.update(told_number=1)

    def tell_and_die() -> None:
        with killed_at(table, after=after), transaction.atomic():
            tell({"add": []})

    assert in_child(tell_and_die) == -signal.SIGKILL
    assert told(canary) == []
    with transaction.atomic():
        tell({"add": [], "thrice": []})
    (changes,) = [each for _event, each in told(canary)]
    assert set(changes) == set(NAMES)
    assert_in_step(canary)


def test_an_election_and_the_follow_up_of_its_canaries_are_one_transaction(
    library: dict[str, Function], worker: Drainer
) -> None:
    canary = register(Add=1)

    def elect_and_die() -> None:
        with killed_at("runner_followup", after=True):
            delete_function(actor=account("olga"), function=library["A__b"])

    assert in_child(elect_and_die) in (0, -signal.SIGKILL)
    change_add(worker)
    assert not FollowUp.objects.filter(name=TELL).exists()
    assert_in_step(canary)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whatever_is_elected_what_was_told_is_what_is_true_when_quiet(
    library: dict[str, Function], worker: Drainer, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a sequence that can be repeated
    canaries = [register("all", Thrice=1, A__b=1), register("one", Add=1)]
    for number in range(8):
        _act(chance, number)
        if chance.random() < 0.5:
            worker.drain()
        if chance.random() < 0.5:
            sweep_canaries(0)
            with transaction.atomic():
                tell({key: [] for key in chance.sample(["add", "twice", "a__b"], 2)})
    worker.drain()
    for canary in canaries:
        assert_in_step(canary)
        assert canary.locked.exclude(told_cause="").count() == 0
    before = [told(canary) for canary in canaries]
    worker.drain()
    sweep_canaries(0)
    assert [told(canary) for canary in canaries] == before


def _act(chance: random.Random, number: int) -> None:
    """Publish, withdraw, vote, delete or define, one of the functions that somebody locks."""
    name = chance.choice(["Add", "Add", "A__b", "Twice"])
    function = Function.objects.filter(name=name, deleted_at=None).first()
    if function is None:
        define_function(actor=account("olga"), name=name)
        return
    works = list(Implementation.objects.filter(function=function, state="published"))
    act = chance.choice(["publish", "publish", "withdraw", "vote", "delete"])
    if act == "publish" or not works:
        body = {"Add": "a + b", "A__b": "1", "Twice": "Add(a, a)"}[name]
        head = {"Add": "(a, b)", "A__b": "()", "Twice": "(a)"}[name]
        mark = "# <<Add>>\n" if name == "Twice" else ""
        code = f"{mark}def {name}{head}:\n    return {body}  # {number}\n"
        implement(function, code, author=f"author{number}")
    elif act == "withdraw":
        work = chance.choice(works)
        withdraw(actor=work.author, work=work)
    elif act == "vote":
        vote(chance.choice(works), up=f"voter{number}")
    elif name != "Add":
        with suppress(Refusal):
            delete_function(actor=account("olga"), function=function)
