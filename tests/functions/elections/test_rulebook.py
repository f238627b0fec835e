"""The site against the rules as they are written, whatever people do in whatever order."""

import ast
import copy
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from functions.maintenance.verification import find_differences
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.rulebook import courses, rulebook, tiny_world
from tests.support.rulebook.courses import ends_unsettled, faults_of_chase, follow
from tests.support.rulebook.lived_site import Site
from tests.support.rulebook.rulebook import Reading, State, after
from tests.support.rulebook.tiny_world import World
from tests.support.rulebook.wishes import BEGINNINGS, CHASES, WISHES, Wish

pytestmark = pytest.mark.django_db(transaction=True)

# `make sequences` has more of them, others each time, and makes one that fails small.
CAMPAIGN = int(os.environ.get("SEQUENCES", "0"))
ENOUGH = 100  # to go everywhere by chance
SEQUENCES = 5
SEED = 200  # of those that go everywhere though they are so few


class Life:
    """The same happens to the site and to the model; `met` counts what came of it there."""

    def __init__(self, worker: Drainer, met: Counter[str]) -> None:
        self.site = Site(worker)
        self.world = World()
        self.may_be: frozenset[State] = frozenset({State()})
        self.chase: tuple[str, ...] = ()  # unsettled when all came to rest last
        self.touched: set[str] = set()  # whose works somebody has changed since
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
        """Let it happen; false if it doesn't."""
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
        starts = frozenset(after(step, self.world, state) for state in self.may_be)
        self.done.append(f"{step}")
        assert self.site.do(step), f"{step} is allowed"
        self.world, self.may_be = world, starts
        self.touched.add(step.name)
        self.met[step.act] += 1
        return True

    def rest(self) -> None:
        """Let all come to rest, and compare."""
        self.site.rest()
        self.done.append("all come to rest")
        ends = {state: shown(self.world, state) for state in self._ends()}
        seen = (self.site.elected(), self.site.begun(), self.site.standing())
        assert seen in ends.values(), f"the site has {seen}, by the rules {list(ends.values())}"
        self.may_be = frozenset(state for state, each in ends.items() if each == seen)
        if not self.chase:
            self.met["one end" if len(set(ends.values())) == 1 else "several ends"] += 1
        self.touched = set()
        reading = Reading(self.world, min(self.may_be, key=repr), frozenset(self.chase))
        assert self.site.said() == said(reading)
        for name, blocker in self.site.blockers().items():
            choice = reading.choice(name)
            assert choice
            assert blocker in reading.lacking(name, choice.code.uses)
        assert self.site.last_elections() <= reading.elected.items()
        self.met.update(
            "a challenge"
            for name in self.world.owners
            for test in self.world.of(name, "test")
            if reading.is_challenge(test)
        )
        self.met.update("by passing" for *_, each in reading.state.standing if each.prover)
        self.met.update("in a circle" for circle in reading.circles.values() if circle)
        self.met.update(f"{word}" for row in said(reading).values() for word in row[:2])

    def _ends(self) -> frozenset[State]:
        """Return what there may be in the end: where they are unsettled, if they may be so."""
        former, chases = self.chase, self.site.chases()
        assert len(chases) <= 1, f"of three functions are unsettled {chases}"
        self.chase = chases[0] if chases else ()
        if not self.chase:
            course = follow(self.world, self.may_be)
            self.met["settled, though it might go round"] += course.goes_round
            return course.ends
        self.met[f"{len(self.chase)} unsettled"] += 1
        numbers = {name: number for name, number, _ in self.site.elected()}
        faults = list(faults_of_chase(self.world, self.may_be, self.chase, numbers))
        if former == self.chase and self.touched.isdisjoint(former):
            # Then they may have chased each other for what was there before.
            self.met["still unsettled"] += 1
            faults = [fault for fault in faults if "chase each other" not in fault]
        assert faults == []
        return ends_unsettled(self.world, self.may_be, self.chase, numbers)


def shown(world: World, state: State) -> tuple[object, ...]:
    """Return what can be seen of it: of published tests, and without what they used once."""
    tests = {(test.name, test.number) for name in world.owners for test in world.of(name, "test")}
    standing = {
        (name, number, each.prover)
        for name, number, each in state.standing
        if (name, number) in tests
    }
    return state.elected, state.begun, frozenset(standing)


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
        for test in world.of(name, "acceptance"):
            stand[f"{test}"] = (reading.accepts(test),)
    return stand


def test_any_sequence_ends_as_the_written_rules_say(worker: Drainer) -> None:
    met: Counter[str] = Counter()

    @settings(
        max_examples=CAMPAIGN or SEQUENCES,
        phases=[Phase.generate, *([Phase.shrink] if CAMPAIGN else [])],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(BEGINNINGS, CHASES, st.lists(WISHES, min_size=15, max_size=30))
    def live(beginning: list[Wish], chases: list[Wish], wishes: list[Wish]) -> None:
        Life(worker, met).live([*beginning, *chases, *wishes])

    if CAMPAIGN:
        live()
    else:
        seed(SEED)(live)()
    print(met)  # for `pytest -rP`
    if not 0 < CAMPAIGN < ENOUGH:
        assert_interesting(met)


def assert_interesting(met: Counter[str]) -> None:
    """They went where it is interesting."""
    assert met.keys() > {"define", "publish", "vote", "judge", "withdraw", "delete"}
    assert met.keys() > {"archive", "transfer", "asleep", "passed", "failed"}
    assert met.keys() > {"refused", "guarded"}
    assert met.keys() > {"is implemented", "is blocked", "is not_implemented", "in a circle"}
    assert met.keys() > {"eligible", "failing", "not_loading", "duplicate", "unacceptable"}
    assert met.keys() > {"working", "broken", "circular", "blocked"}
    assert met.keys() > {"a challenge", "by passing"}
    assert met["2 unsettled"]
    assert met["one end"] > 20 * met["several ends"]


def test_the_model_shares_no_code_with_the_site() -> None:
    imported = set()
    for module in (courses, rulebook, tiny_world):
        tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
        for node in ast.walk(tree):
            imported |= {node.module} if isinstance(node, ast.ImportFrom) else set()
            assert not isinstance(node, ast.Import)
    own = {"tests.support.rulebook.rulebook", "tests.support.rulebook.tiny_world"}
    assert imported == {"collections.abc", "dataclasses", "enum", "typing", *own}
