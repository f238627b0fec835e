"""What a client has applied is compared with the log: whatever is amiss is found, and named."""

from collections.abc import Sequence
from typing import Any

import pytest

from chaos.invariants import DUPLICATED, LOST, WRONG
from chaos.transcripts import Transcript, applied, broken_lines

TOPIC = "open:a"


def event(seq: int, said: str = "") -> dict[str, Any]:
    return {"seq": seq, "type": "notice", "payload": {"said": said or f"number {seq}"}}


LOG = [event(seq) for seq in range(1, 6)]


def kinds(events: Sequence[dict[str, Any]], log: Sequence[dict[str, Any]] = LOG) -> list[str]:
    transcript = Transcript("mira", {TOPIC: 0})
    transcript.apply(TOPIC, events)
    return [found.kind for found in transcript.compare({TOPIC: [applied(one) for one in log]})]


def test_the_whole_log_is_all_right_also_in_parts() -> None:
    assert kinds(LOG) == []
    transcript = Transcript("mira", {TOPIC: 0})
    for end in (2, 5):
        transcript.apply(TOPIC, LOG[transcript.last[TOPIC] : end])
        log = {TOPIC: [applied(one) for one in LOG[:end]]}
        assert list(transcript.compare(log)) == []


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (LOG[:4], [LOST]),
        ([*LOG[:2], *LOG[3:]], [LOST]),
        (LOG[1:], [LOST]),
        ([*LOG, LOG[4]], [DUPLICATED]),
        ([LOG[1], LOG[0], *LOG[2:]], [WRONG]),
        ([*LOG[:4], event(5, "something else")], [WRONG]),
        ([*LOG, event(6)], [WRONG]),
    ],
)
def test_whatever_else_was_applied_is_found(
    events: list[dict[str, Any]], expected: list[str]
) -> None:
    assert kinds(events) == expected


def output(first: int, *lines: str) -> tuple[str, dict[str, Any]]:
    rows = [[0.1, "out", line] for line in lines]
    payload = {"key": "ab", "run": 1, "first": first, "lines": rows}
    return TOPIC, {"seq": 1, "type": "task.output", "payload": payload}


def test_lines_are_told_from_the_first_on_and_again_the_same() -> None:
    assert list(broken_lines([output(0, "a", "b"), output(1, "b", "c"), output(3, "d")])) == []
    (gap,) = broken_lines([output(0, "a"), output(2, "c")])
    (other,) = broken_lines([output(0, "a"), output(0, "b")])
    assert (gap.kind, other.kind) == (LOST, WRONG)
