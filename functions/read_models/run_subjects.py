"""Subjects of runs: the topic's function, and the draft or preview."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from functions.models import AcceptanceTest, Function, Implementation, Preview, Test

Draft = Implementation | Test
DRAFTS: dict[str, type[Implementation] | type[Test]] = {
    model.noun: model for model in (Implementation, Test)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The subject of a run; all None if it was deleted."""

    function: Function | None = None
    draft: Draft | None = None
    preview: Preview | None = None

    @property
    def name(self) -> str:
        """The function's name, or empty."""
        return self.function.name if self.function else ""


def subjects_of(topics: Collection[str]) -> dict[str, Subject]:
    """Return the subject of each topic, in one query per kind."""
    functions = Function.objects.in_bulk(_numbers(topics, "function:"))
    found = {topic: Subject() for topic in topics}
    found.update({of.topic: Subject(function=of) for of in functions.values()})
    previews = _numbers(topics, "preview:")
    for preview in Preview.objects.select_related("function").filter(pk__in=previews):
        found[preview.topic] = Subject(function=preview.function, preview=preview)
    tests = _numbers(topics, "acceptance:") + _numbers(topics, "draft:acceptance-")
    for test in AcceptanceTest.objects.select_related("function").filter(pk__in=tests):
        found[test.topic] = found[test.draft_topic] = Subject(function=test.function)
    for noun, model in DRAFTS.items():
        ids = _numbers(topics, f"draft:{noun}-")
        rows: Any = model.objects.select_related("function", "author")
        drafts: Iterable[Draft] = rows.filter(pk__in=ids) if ids else ()
        found.update({of.draft_topic: Subject(function=of.function, draft=of) for of in drafts})
    return found


def _numbers(topics: Iterable[str], prefix: str) -> list[int]:
    numbers = (topic.removeprefix(prefix) for topic in topics if topic.startswith(prefix))
    return [int(number) for number in numbers if number.isdecimal()]
