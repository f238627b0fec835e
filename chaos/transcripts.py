"""What clients have applied, and whether it is what the log says: S1 of the streams."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from chaos.invariants import DUPLICATED, LOST, WRONG, Violation

PREFIX = "S1 a prefix of the log"
LINES = "lines of output are told whole"


class Applied(NamedTuple):
    """One event, as it was applied."""

    seq: int
    digest: int  # of what it says; the same only within this process


def applied(event: Mapping[str, Any]) -> Applied:
    """Return what is kept of an event with its `seq`, `type` and `payload`."""
    said = json.dumps([event["type"], event["payload"]], sort_keys=True)
    return Applied(event["seq"], hash(said))


class Transcript:
    """What one client has applied, by topic; what has been compared is not kept."""

    def __init__(self, who: str, positions: Mapping[str, int]) -> None:
        self.who = who
        self.last = dict(positions)
        self.count = 0
        self.resets: list[str] = []
        self._compared = dict(positions)
        self._applied: dict[str, list[Applied]] = {topic: [] for topic in positions}

    def apply(self, topic: str, events: Iterable[Mapping[str, Any]]) -> None:
        """Take these events as applied, in this order."""
        for event in events:
            self._applied[topic].append(applied(event))
            self.last[topic] = event["seq"]
            self.count += 1

    def has(self, heads: Mapping[str, int]) -> bool:
        """Say whether all topics are as far as this, or farther."""
        return all(last >= heads.get(topic, 0) for topic, last in self.last.items())

    def lacks(self, heads: Mapping[str, int]) -> str:
        """Say what `has` misses."""
        behind = [
            f"{topic} stands at {last}, its log at {heads[topic]}"
            for topic, last in self.last.items()
            if last < heads.get(topic, 0)
        ]
        return f"{self.who}: {'; '.join(behind)}"

    def compare(self, logs: Mapping[str, Sequence[Applied]]) -> Iterator[Violation]:
        """Yield how this differs from the logs up to their heads; forget what was compared."""
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
            yield self._violation(WRONG, topic, "not what the log says", false)
        if seqs != sorted(seqs):
            yield self._violation(WRONG, topic, "not in order", seqs)

    def _violation(self, kind: str, topic: str, what: str, seqs: Sequence[int]) -> Violation:
        some = f"{len(seqs)} events, from {seqs[0]} to {seqs[-1]}"
        return Violation(PREFIX, kind, f"{self.who}, {topic}: {some}, {what}")


def broken_lines(log: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Violation]:
    """Yield what is amiss with the lines of output in these events, each with its topic.

    The lines of a run are told from the first one on; what is told again is the same.
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
