"""A short selection of what `make fuzz` does at length, and the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz import targets

bounded = settings(deadline=None, derandomize=True, database=None, max_examples=150)

# From the hostile programs and the samples: pieces that mean something to the compiler.
LINES = sorted(
    {line for seed in targets.seeds("compiler")[::7] for line in seed.decode().split("\n")}
)


@bounded
@given(st.lists(st.sampled_from(LINES) | st.text(max_size=20), max_size=12))
def test_any_text_gives_complaints_or_code(lines: list[str]) -> None:
    targets.compiler("\n".join(lines).encode("utf-8", "surrogatepass"))


@bounded
@given(st.binary(max_size=60))
def test_any_bytes_give_complaints_or_code(data: bytes) -> None:
    targets.compiler(data)


SCRIPT_LINES = sorted(
    {line for seed in targets.seeds("javascript") for line in seed.decode().split("\n")}
)


@bounded
@given(st.lists(st.sampled_from(SCRIPT_LINES) | st.text(max_size=20), max_size=6))
def test_any_script_gives_complaints_or_none(lines: list[str]) -> None:
    targets.javascript("\n".join(lines).encode("utf-8", "surrogatepass"))


@bounded
@given(st.sampled_from(targets.seeds("frames")), st.randoms(use_true_random=False))
def test_whatever_a_child_sends_has_an_outcome(stream: bytes, choose: random.Random) -> None:
    changed = bytearray(stream)
    for _ in range(choose.randrange(4)):
        place = choose.randrange(len(changed) + 1)
        changed[place : place + choose.randrange(3)] = choose.randbytes(choose.randrange(3))
    targets.frames(bytes(changed))


@bounded
@given(st.binary(max_size=200))
def test_whatever_bytes_a_child_sends_have_an_outcome(data: bytes) -> None:
    targets.frames(data)


@bounded
@given(st.sampled_from(targets.seeds("border")), st.randoms(use_true_random=False))
def test_whatever_crosses_the_border_is_read_or_malformed(
    stream: bytes, choose: random.Random
) -> None:
    changed = bytearray(stream)
    for _ in range(choose.randrange(4)):
        place = choose.randrange(4, len(changed) + 1)
        changed[place : place + 1] = bytes([choose.choice(b'[]",0123456789-abdefilnrstu')])
    targets.border(bytes(changed))


@bounded
@given(st.sampled_from(targets.seeds("subject")), st.randoms(use_true_random=False))
def test_whatever_a_subject_answers_the_judge_goes_on_or_knows_that_it_is_broken(
    stream: bytes, choose: random.Random
) -> None:
    changed = bytearray(stream)
    for _ in range(choose.randrange(4)):
        place = choose.randrange(len(changed))
        changed[place] = choose.choice(b'[]",0123456789-!=?chnoy')
    targets.subject(bytes(changed))


@pytest.mark.parametrize("target", targets.TARGETS)
def test_what_fuzzing_begins_with_is_sound(target: str) -> None:
    run: Callable[[bytes], None] = targets.TARGETS[target]
    for seed in targets.seeds(target)[::5]:
        run(seed)
