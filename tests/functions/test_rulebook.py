"""The site against the rules as they are written, whatever people do in whatever order."""

import ast
import copy
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from functions.verification import find_differences
from runner.execution import Drainer
from tests.functions import rulebook, tiny_world
from tests.functions.ending import all_batches_end
from tests.functions.lived_site import Site
from tests.functions.rulebook import Elected, Reading, after, follow
from tests.functions.tiny_world import World
from tests.functions.wishes import BEGINNINGS, WISHES, Wish

pytestmark = pytest.mark.django_db(transaction=True)

# `make sequences` has more of them, others each time, and makes one that fails small.
CAMPAIGN = int(os.environ.get("SEQUENCES", "0"))
ENOUGH = 100  # to go everywhere by chance
SEQUENCES = 4
SEED = 16  # of those that go everywhere though they are so few


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
    @given(BEGINNINGS, st.lists(WISHES, min_size=15, max_size=30))
    def live(beginning: list[Wish], wishes: list[Wish]) -> None:
        Life(worker, met).live([*beginning, *wishes])

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
