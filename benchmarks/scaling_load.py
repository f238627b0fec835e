"""Work for the workers: publications of implementations, each run with twenty tests.

Functions and their works are inserted as rows. What follows is the product's: cells, batches,
tasks, and an election once the results are there. Needs Django set up.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from benchmarks.author import IMPLEMENTATION, TEST, TESTS
from functions.contests.evaluation import submit_work
from functions.contests.loader import load_contest
from functions.locks import lock_function
from functions.models import Function, Implementation, Test, Usage, Work
from runner.programs.program import source_hash

OWNERS = 50
IMPLEMENTATIONS = 2  # of each function
TASKS = TESTS + 1  # of each publication: the program that only loads the implementation is one


class Publications:
    """Publications by many users, of two implementations for each function."""

    def __init__(self) -> None:
        users = (User(username=f"scaling-{number}") for number in range(OWNERS))
        self._owners = itertools.cycle(User.objects.bulk_create(users))
        self._functions = itertools.count()
        self._drafts: list[Implementation] = []

    def prepare(self, tasks: int) -> None:
        """Make functions with tests, and as many drafts as cause these tasks."""
        while len(self._drafts) * TASKS < tasks:
            self._drafts += self._make_function(next(self._functions))

    def publish_all(self) -> int:
        """Publish what is prepared; return the number of tasks."""
        for draft in self._drafts:
            self._publish(draft)
        tasks = len(self._drafts) * TASKS
        self._drafts = []
        return tasks

    @transaction.atomic
    def _make_function(self, number: int) -> list[Implementation]:
        owner = next(self._owners)
        name = f"Scaled{number}"
        function = Function.objects.create(name=name, name_key=name.lower(), owner=owner)
        Usage.objects.create(function=function)
        Test.objects.bulk_create(_tests(function))
        codes = [
            f"# Version {choice + 1}.\n{IMPLEMENTATION.format(name=name)}"
            for choice in range(IMPLEMENTATIONS)
        ]
        return Implementation.objects.bulk_create(
            Implementation(function=function, author=owner, code=code) for code in codes
        )

    @transaction.atomic
    def _publish(self, work: Implementation) -> None:
        """Publish as `functions.authoring.publication` does once the code is checked."""
        function = lock_function(work.function_id)
        work.number = function.last_implementation_number = function.last_implementation_number + 1
        work.state = Work.State.PUBLISHED
        work.published_at = work.changed_at = timezone.now()
        work.source_sha256 = source_hash(work.code)
        work.save(update_fields="number state published_at changed_at source_sha256".split())
        function.judging = True
        function.save(update_fields=["judging", "last_implementation_number"])
        cause = f"{work.noun} {work} published"
        contest = load_contest(function)
        submit_work(contest, work, cause=cause, owner=work.author, request_key=str(work.pk))


def _tests(function: Function) -> Iterator[Test]:
    now = timezone.now()
    for number in range(TESTS):
        code = TEST.format(name=function.name, number=number, size=20 + number)
        yield Test(
            function=function,
            author_id=function.owner_id,
            number=number + 1,
            state=Work.State.PUBLISHED,
            published_at=now,
            code=code,
            source_sha256=source_hash(code),
        )
