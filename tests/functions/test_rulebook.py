"""The site against the rules as they are written, whatever people do in whatever order."""

import ast
import copy
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from functions.authoring import delete_function, judge_work, withdraw
from functions.errors import Refusal
from functions.models import Election, Function, Implementation, Test
from functions.verification import find_differences
from functions.voting import cast_vote
from runner.execution import Drainer
from runner.pipelines.views import joiner
from tests.functions import rulebook, tiny_world
from tests.functions.ending import all_batches_end
from tests.functions.rulebook import Elected, Reading, after, follow
from tests.functions.tiny_world import STAFF, Code, Fault, Step, World, others
from tests.functions.writing import account, define, implement, publish_test
from tests.patience import PATIENCE_SECONDS

pytestmark = pytest.mark.django_db(transaction=True)

NAMES = ("Ash", "Beech", "Cedar")
PEOPLE = ("olga", "otto", "ida", "ivan", STAFF)
MODELS: dict[str, type[Implementation | Test]] = {"implementation": Implementation, "test": Test}
# `make sequences` has more of them, others each time, and makes one that fails small.
CAMPAIGN = int(os.environ.get("SEQUENCES", "0"))
SEQUENCES = 4


@dataclass(frozen=True)
class Wish:
    """What somebody would like to do; `pick` is a number for one of what there is to choose."""

    act: str
    who: str  # nobody: whoever may
    name: str
    pick: int
    code: Code
    value: int
    is_followed: bool  # by something else at once, while its elections are under way

    def step(self, world: World) -> Step | None:
        """Return what that comes to in this world, if anything."""
        if self.act == "define" or self.name not in world.owners:
            return Step("define", self.who or ("olga", "otto")[self.pick % 2], self.name)
        if self.act == "delete":
            return Step("delete", self.who or world.owners[self.name], self.name)
        if self.act in MODELS:
            uses = self.code.uses
            if self.act == "implementation":  # recursion needs no marker, and has none
                uses = tuple(others(self.name, uses))
            code = Code(uses, self.code.value, self.code.fault)
            number = 1 + sum((w.name, w.noun) == (self.name, self.act) for w in world.works)
            return Step("publish", self.who or "ida", self.name, self.act, number, code)
        if not world.works:
            return None
        work = world.works[self.pick % len(world.works)]
        entitled = {"vote": "vera", "withdraw": work.author}.get(self.act, world.owners[work.name])
        who = self.who or entitled
        return Step(self.act, who, work.name, work.noun, work.number, value=self.value)


ACTS = {"implementation": 6, "test": 6, "vote": 4, "judge": 3, "withdraw": 4, "delete": 2}
CODES = st.builds(
    Code,
    st.sets(st.sampled_from(NAMES), max_size=2).map(lambda uses: tuple(sorted(uses))),
    st.integers(0, 2),
    st.sampled_from([*[Fault.NONE] * 25, *Fault]),
)
WISHES = st.builds(
    Wish,
    act=st.sampled_from(["define", *Counter(ACTS).elements()]),
    who=st.sampled_from([*[""] * 15, *PEOPLE]),
    name=st.sampled_from(NAMES),
    pick=st.integers(0, 30),
    code=CODES,
    value=st.sampled_from([1, -1, 0]),
    is_followed=st.sampled_from([False, False, False, True]),
)
# Everything is there at first, and has been implemented somehow.
BEGINNINGS = st.tuples(*[CODES for _ in NAMES]).map(
    lambda codes: [
        Wish(act, "", name, 0, code, 0, is_followed=True)
        for act in ("define", "implementation")
        for name, code in zip(NAMES, codes, strict=True)
    ]
)


class Site:
    """The site, to which the same is done."""

    def __init__(self, worker: Drainer) -> None:
        self._worker = worker
        self._staff = account(STAFF, is_staff=True)
        self._clear()

    def do(self, step: Step) -> bool:
        """Do it; false if that was refused."""
        try:
            self._do(step)
        except Refusal:
            return False
        return True

    def rest(self) -> None:
        """Execute and elect until nothing is left."""
        joiner.settle(PATIENCE_SECONDS)
        self._worker.drain()

    def elected(self) -> Elected:
        living = Function.objects.filter(deleted_at=None)
        rows = living.values_list("name", "elected__number", "circle")
        return frozenset((name, number or 0, tuple(circle)) for name, number, circle in rows)

    def said(self) -> dict[str, tuple[object, ...]]:
        """Return how everything stands."""
        living: dict[str, Any] = {"state": "published", "function__deleted_at": None}
        functions = Function.objects.filter(deleted_at=None)
        columns = ("function__name", "number", "score")
        implementations = Implementation.objects.filter(**living)
        tests = Test.objects.filter(**living)
        return {
            **{
                name: (f"is {status}", *standing)
                for name, status, *standing in functions.values_list(
                    "name", "status", "untested", "judging"
                )
            },
            **{
                f"{name} implementation {number}": tuple(standing)
                for name, number, *standing in implementations.values_list(
                    *columns, "standing", "passed", "counting"
                )
            },
            **{
                f"{name} test {number}": tuple(standing)
                for name, number, *standing in tests.values_list(*columns, "health", "counts")
            },
        }

    def blockers(self) -> dict[str, str]:
        functions = Function.objects.filter(deleted_at=None).exclude(blocked_by="")
        return dict(functions.values_list("name", "blocked_by"))

    def last_elections(self) -> set[tuple[str, int]]:
        """Return what the history says, of those who have one."""
        rows = Election.objects.filter(function__deleted_at=None).order_by("id")
        last = dict(rows.values_list("function__name", "elected__number"))
        return {(name, number or 0) for name, number in last.items()}

    def _do(self, step: Step) -> None:
        if step.act == "define":
            define(step.name, owner=step.actor)
            return
        function = Function.objects.get(name=step.name, deleted_at=None)
        actor = account(step.actor)
        if step.act == "delete":
            delete_function(actor=actor, function=function)
        elif step.act == "publish" and step.noun == "test":
            publish_test(function, step.code.testing(step.name), author=step.actor)
        elif step.act == "publish":
            implement(function, step.code.implementing(step.name), author=step.actor)
        else:
            work = MODELS[step.noun].objects.get(function=function, number=step.number)
            if step.act == "vote":
                cast_vote(actor=actor, work=work, value=step.value)
            elif step.act == "withdraw":
                withdraw(actor=actor, work=work)
            else:
                acceptable = {1: True, 0: None, -1: False}[step.value]
                judge_work(actor=actor, work=work, acceptable=acceptable)

    def _clear(self) -> None:
        """Delete all functions, and let nobody have a claim on their names."""
        for function in Function.objects.filter(deleted_at=None):
            delete_function(actor=self._staff, function=function)
        self.rest()
        for function in Function.objects.filter(name_key__in=[name.lower() for name in NAMES]):
            function.name_key = f"former-{function.pk}"
            function.save(update_fields=["name_key"])


class Life:
    """The same happens to the site and to the model; `met` counts what came of it there."""

    def __init__(self, worker: Drainer, met: Counter[str]) -> None:
        self.site = Site(worker)
        self.world = World()
        self.may_be: frozenset[Elected] = frozenset({frozenset()})
        self.met = met
        self.done: list[str] = []

    def live(self, wishes: list[Wish]) -> None:
        try:
            self._live(wishes)
        except Exception as error:
            error.add_note("\n".join(self.done))
            raise

    def _live(self, wishes: list[Wish]) -> None:
        for wish in wishes:
            if self.take(wish) and not wish.is_followed:
                self.rest()
        self.rest()
        assert list(find_differences()) == []
        assert all_batches_end()

    def take(self, wish: Wish) -> bool:
        """Let it happen, unless elections would go round; false if it doesn't."""
        step = wish.step(self.world)
        if step is None:
            return False
        if not self.world.allows(step):
            assert not self.site.do(step), f"{step} is refused"
            is_guarded = step.act == "define" and step.name not in self.world.owners
            self.met["guarded" if is_guarded else "refused"] += 1
            return False
        world = copy.deepcopy(self.world)
        world.take(step)
        course = follow(world, [after(step, elected) for elected in self.may_be])
        if not course.is_ruled:
            self.met["goes round"] += 1
            return False
        self.done.append(f"{step}")
        assert self.site.do(step), f"{step} is allowed"
        self.world, self.may_be = world, course.seen
        self.met[step.act] += 1
        return True

    def rest(self) -> None:
        """Let all come to rest, and compare."""
        self.site.rest()
        self.done.append("all come to rest")
        elected, ends = self.site.elected(), follow(self.world, self.may_be).ends
        assert elected in ends, f"elected {sorted(elected)}, by the rules {list(map(sorted, ends))}"
        self.may_be = frozenset({elected})
        self.met["one end" if len(ends) == 1 else "several ends"] += 1
        reading = Reading(self.world, elected)
        assert self.site.said() == said(reading)
        for name, blocker in self.site.blockers().items():
            choice = reading.choice(name)
            assert choice
            assert blocker in reading.lacking(name, choice.code.uses)
        assert self.site.last_elections() <= reading.elected.items()
        self.met.update("in a circle" for circle in reading.circles.values() if circle)
        self.met.update(f"{word}" for row in said(reading).values() for word in row[:2])


def said(reading: Reading) -> dict[str, tuple[object, ...]]:
    """Return how everything stands by the rules."""
    world = reading.world
    stand: dict[str, tuple[object, ...]] = {}
    for name in world.owners:
        counting = len(reading.counting(name))
        stand[name] = (f"is {reading.status(name)}", not counting, False)
        for work in world.of(name, "implementation"):
            standing = reading.standing(work)
            stand[f"{work}"] = (work.score, standing, reading.passed(work), counting)
        for test in world.of(name, "test"):
            stand[f"{test}"] = (test.score, reading.health(test), reading.counts(test))
    return stand


def test_any_sequence_ends_as_the_written_rules_say(worker: Drainer) -> None:
    met: Counter[str] = Counter()

    @settings(
        max_examples=CAMPAIGN or SEQUENCES,
        derandomize=not CAMPAIGN,
        phases=[Phase.generate, *([Phase.shrink] if CAMPAIGN else [])],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(BEGINNINGS, st.lists(WISHES, min_size=15, max_size=30))
    def live(beginning: list[Wish], wishes: list[Wish]) -> None:
        Life(worker, met).live([*beginning, *wishes])

    live()
    print(met)  # for `pytest -rP`
    # It went where it is interesting.
    assert met.keys() > {"define", "publish", "vote", "judge", "withdraw", "delete"}
    assert met.keys() > {"refused", "guarded"}
    assert met.keys() > {"is implemented", "is blocked", "is not_implemented", "in a circle"}
    assert met.keys() > {"eligible", "failing", "not_loading", "duplicate", "unacceptable"}
    assert met.keys() > {"working", "broken", "circular", "blocked"}
    assert met["one end"] > 20 * met["several ends"]


def test_the_model_shares_no_code_with_the_site() -> None:
    imported = set()
    for module in (rulebook, tiny_world):
        tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
        for node in ast.walk(tree):
            imported |= {node.module} if isinstance(node, ast.ImportFrom) else set()
            assert not isinstance(node, ast.Import)
    own = {"tests.functions.tiny_world"}
    assert imported == {"collections.abc", "dataclasses", "enum", "typing", *own}
