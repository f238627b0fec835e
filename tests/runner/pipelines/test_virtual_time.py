"""Turns: a model of owners who ask, and of workers who run portion after portion."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.pipelines.virtual_time import UNOWNED_STEP, DueTarget, choose_portion, next_vtimes

AT_ONCE = 32
OWNERS = (None, 1, 2, 3, 4)
# What happens: an owner asks for so many, or a portion is run.
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(OWNERS), st.integers(1, 60), st.sampled_from(["settle", "tell"])),
        st.none(),
    ),
    max_size=60,
)


class Model:
    """A queue as the database has it: a clock, and what waits in the order of turns."""

    def __init__(self) -> None:
        self.clock = 0
        self.waiting: list[DueTarget] = []
        self.ran: list[DueTarget] = []
        self.numbers = 0

    def ask(self, owner: int | None, count: int, name: str = "settle") -> list[DueTarget]:
        lasts: dict[int | None, int] = {owner: 0}
        for one in self.waiting:
            lasts[one.owner_id] = max(lasts.get(one.owner_id, 0), one.vtime)
        turns = next_vtimes([owner] * count, clock=self.clock, lasts=lasts)
        new = [
            DueTarget(name, f"{self.numbers + at}", owner, turn) for at, turn in enumerate(turns)
        ]
        self.numbers += count
        self.waiting = sorted([*self.waiting, *new], key=lambda one: (one.vtime, int(one.target)))
        return new

    def run(self, at_once: int = AT_ONCE) -> list[DueTarget]:
        portion = choose_portion(self.waiting, at_once)
        if portion:
            self.clock = max(self.clock, portion[0].vtime)
        self.waiting = [one for one in self.waiting if one not in portion]
        self.ran += portion
        return portion


@given(STEPS)
def test_whoever_waits_for_little_has_at_most_two_of_each_other_owner_before_it(
    steps: list[tuple[int | None, int, str] | None],
) -> None:
    model = Model()
    for step in steps:
        if step is None:
            model.run()
        else:
            model.ask(*step)
    [newcomer] = model.ask(9, 1)
    ran_before = len(model.ran)
    while newcomer not in model.ran:
        assert model.run()
    before: dict[int | None, int] = defaultdict(int)
    for one in model.ran[ran_before : model.ran.index(newcomer)]:
        before[one.owner_id] += 1
    assert all(count <= 2 for count in before.values()), before
    # Nor does what is run together with it: its portion ends with its turn.
    assert len(model.ran) - ran_before <= 2 * len(OWNERS) + 1


@given(STEPS)
def test_a_portion_is_what_is_next_of_one_name_and_everything_is_run_once(
    steps: list[tuple[int | None, int, str] | None],
) -> None:
    model = Model()
    for step in [*steps, *[None] * 4_000]:
        if step is not None:
            model.ask(*step)
        elif model.waiting:
            waiting = list(model.waiting)
            portion = model.run()
            same = [one for one in waiting if one.name == waiting[0].name]
            assert 0 < len(portion) <= AT_ONCE
            assert portion == same[: len(portion)]
    assert not model.waiting
    assert sorted(int(one.target) for one in model.ran) == list(range(model.numbers))


@pytest.mark.parametrize("asked", [1, 20, 200])
def test_nobody_starves_beside_an_owner_who_never_ends(asked: int) -> None:
    model = Model()
    others = [*model.ask(None, asked), *model.ask(2, asked)]
    rounds = 0
    while not set(others) <= set(model.ran):
        model.ask(1, 40)
        model.run(8)
        rounds += 1
        assert rounds < 20 * asked


def test_two_who_wait_for_many_have_the_same_share_and_nobody_a_sixteenth() -> None:
    model = Model()
    for owner in (1, 2, None):
        model.ask(owner, 1_000)
    while len(model.ran) < 660:
        model.run()
    shares = [sum(one.owner_id == owner for one in model.ran) for owner in (1, 2, None)]
    assert shares[0] == pytest.approx(320, abs=AT_ONCE)
    assert shares[1] == pytest.approx(320, abs=AT_ONCE)
    assert shares[2] == pytest.approx(320 // UNOWNED_STEP, abs=2)


def test_alone_an_owner_has_full_portions() -> None:
    model = Model()
    model.ask(1, 100)
    assert [len(model.run()) for _ in range(4)] == [32, 32, 32, 4]
    model.ask(None, 64)
    assert [len(model.run()) for _ in range(2)] == [32, 32]
