"""Transcripts of the events that clients applied, compared with the log: S1 of the streams."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from chaos.invariants import DUPLICATED, LOST, WRONG, Violation

PREFIX = "S1 a prefix of the log"
LINES = "lines of output are complete"


class Applied(NamedTuple):
    """One applied event."""

    seq: int
    digest: int  # of its content; comparable only within this process


def applied(event: Mapping[str, Any]) -> Applied:
    """Return the transcript's entry for an event with `seq`, `type` and `payload`."""
    said = json.dumps([event["type"], event["payload"]], sort_keys=True)
    return Applied(event["seq"], hash(said))


class Transcript:
    """The events that one client has applied, by topic, without compared ones."""

    def __init__(self, who: str, positions: Mapping[str, int]) -> None:
        self.who = who
        self.last = dict(positions)
        self.count = 0
        self.resets: list[str] = []
        self._compared = dict(positions)
        self._applied: dict[str, list[Applied]] = {topic: [] for topic in positions}

    def apply(self, topic: str, events: Iterable[Mapping[str, Any]]) -> None:
        """Append applied events, in order."""
        for event in events:
            self._applied[topic].append(applied(event))
            self.last[topic] = event["seq"]
            self.count += 1

    def has(self, heads: Mapping[str, int]) -> bool:
        """Return whether all topics have reached these heads."""
        return all(last >= heads.get(topic, 0) for topic, last in self.last.items())

    def lacks(self, heads: Mapping[str, int]) -> str:
        """Return the topics that have not reached these heads, as text."""
        behind = [
            f"{topic} is at {last}, its log at {heads[topic]}"
            for topic, last in self.last.items()
            if last < heads.get(topic, 0)
        ]
        return f"{self.who}: {'; '.join(behind)}"

    def compare(self, logs: Mapping[str, Sequence[Applied]]) -> Iterator[Violation]:
        """Yield the differences from the logs up to their heads; forget compared events."""
        for topic, ours in self._applied.items():
            base = self._compared[topic]
            log = [each for each in logs.get(topic, ()) if each.seq > base]
            if ours != log:
                yield from self._differences(topic, ours, log)
            self._compared[topic] = self.last[topic]
            self._applied[topic] = []

    def _differences(
        self, topic: str, ours: Sequence[Applied], log: Sequence[Applied]
    ) -> Iterator[Violation]:
        seqs = [each.seq for each in ours]
        known = dict(log)
        missing = sorted(known.keys() - set(seqs))
        twice = sorted({seq for seq in seqs if seqs.count(seq) > 1})
        false = [each.seq for each in ours if known.get(each.seq) != each.digest]
        if missing:
            yield self._violation(LOST, topic, "never applied", missing)
        if twice:
            yield self._violation(DUPLICATED, topic, "applied more than once", twice)
        if false:
            yield self._violation(WRONG, topic, "different from the log", false)
        if seqs != sorted(seqs):
            yield self._violation(WRONG, topic, "not in order", seqs)

    def _violation(self, kind: str, topic: str, what: str, seqs: Sequence[int]) -> Violation:
        some = f"{len(seqs)} events, from {seqs[0]} to {seqs[-1]}"
        return Violation(PREFIX, kind, f"{self.who}, {topic}: {some}, {what}")


def broken_lines(log: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Violation]:
    """Yield errors in the lines of output in these events, given as (topic, payload).

    The lines of a run are published from the first one on; repeated ones must be equal.
    """
    told: dict[tuple[str, str, int], dict[int, str]] = {}
    for topic, event in log:
        if event["type"] != "task.output":
            continue
        output = event["payload"]
        lines = told.setdefault((topic, output["key"], output["run"]), {})
        for number, (_ms, _stream, text) in enumerate(output["lines"], output["first"]):
            if number > len(lines):
                yield Violation(LINES, LOST, f"{topic}, {output}: begins after a gap")
            elif lines.setdefault(number, text) != text:
                yield Violation(LINES, WRONG, f"{topic}, {output}: {lines[number]!r} before")
