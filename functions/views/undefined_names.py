"""Usages of an undefined name in published code."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.utils.safestring import SafeString

from functions.models import Dependency, Work
from functions.read_models.links import links_of_works
from functions.source.call_guesses import guess_signature
from functions.views.markup import code_lines

USES_SHOWN = 6
LINES_AROUND = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A work that uses the name, with the lines around its first use."""

    function: str
    url: str
    label: str
    author: str
    published_at: datetime | None
    line: int
    lines: Sequence[SafeString]
    call: str  # the guessed signature of the function, if it is called here


def usages_of(name: str) -> list[Use]:
    """Return usages of an undefined name in published works, up to a limit."""
    published = Work.State.PUBLISHED
    found = (
        Dependency.objects.filter(target=None, name_key=name.lower())
        .filter(
            Q(implementation__state=published, implementation__function__deleted_at=None)
            | Q(test__state=published, test__function__deleted_at=None)
        )
        .select_related("implementation__function", "implementation__author")
        .select_related("test__function", "test__author")
        .order_by("id")[:USES_SHOWN]
    )
    return list(_uses(list(found)))


def _uses(dependencies: Collection[Dependency]) -> Iterator[Use]:
    of_implementations, of_tests = links_of_works(
        implementations=[one.implementation_id for one in dependencies if one.implementation_id],
        tests=[one.test_id for one in dependencies if one.test_id],
    )
    for dependency in dependencies:
        work = dependency.implementation or dependency.test
        assert work is not None  # noqa: S101 - the table holds it
        line = _first_use(work.code, dependency.name)
        links = (of_implementations if dependency.implementation else of_tests)[work.pk]
        lines = code_lines(work.code, {link.key: link for link in links}, marks={line: "use"})
        yield Use(
            function=work.function.name,
            url=work.get_absolute_url(),
            label=str(work),
            author=work.author.get_username(),
            published_at=work.published_at,
            line=line,
            lines=lines[max(0, line - 1 - LINES_AROUND) : line + LINES_AROUND],
            call=guess_signature(dependency.name, [work.code]),
        )


def _first_use(code: str, name: str) -> int:
    """Return the number, from 1, of the first line that calls the name, else that mentions it."""
    lines = code.split("\n")
    for pattern in (rf"\b{re.escape(name)}\s*\(", rf"\b{re.escape(name)}\b"):
        for number, line in enumerate(lines, start=1):
            if re.search(pattern, line):
                return number
    return 1
