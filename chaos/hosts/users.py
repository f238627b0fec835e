"""Users of the API whose acknowledged writes and results are compared with the database."""

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator

from django.contrib.auth.models import User

from chaos.forms import Insistent
from chaos.guests import DRAFTED
from chaos.invariants import DUPLICATED, LOST, WRONG, Violation
from chaos.watching import batches_of
from functions.authoring import define_function, publish, start_draft
from functions.models import Function, Implementation, Test, Vote, Work
from socialcode.accounts.tokens import create_token

VOTERS = ("voter0", "voter1", "voter2", "voter3")
CALLERS = ("caller0", "caller1")
PUBLISHER = "publisher"
CALLED = "ChaosCalled"
PAUSE_SECONDS = 0.3
PUBLISHED_SECONDS = 1.0  # between publications, besides
ACKNOWLEDGED = "what is acknowledged is there"
CALLS = "calls return the result"


class HostUser(Insistent, ABC):
    """A user with a request that is repeated until it is accepted, again and again."""

    done = ""  # what is counted

    def __init__(self, port: int, name: str) -> None:
        self.user = User.objects.get_or_create(username=name)[0]
        super().__init__(port, create_token(user=self.user)[1])

    async def run(self) -> None:
        for number in itertools.count(1):
            await self._turn()
            await self._act(number)
            await asyncio.sleep(PAUSE_SECONDS)

    def violations(self) -> Iterator[Violation]:
        """Yield differences between the acknowledged and the stored; at rest."""
        yield from self.complaints
        self.complaints.clear()

    @abstractmethod
    async def _act(self, number: int) -> None:
        """Make the request, which is this user's `number`-th."""


class Voter(HostUser):
    """Changes a vote again and again."""

    done = "votes"

    def __init__(self, port: int, name: str, test: int) -> None:
        super().__init__(port, name)
        self._test = test
        self._value = 0

    async def _act(self, number: int) -> None:
        self._value = (-1, 1)[number % 2]
        await self._insist("PUT", f"/api/v1/tests/{self._test}/vote/", {"value": self._value})

    def violations(self) -> Iterator[Violation]:
        """Yield differences between the stored vote and the acknowledged ones; at rest."""
        yield from super().violations()
        vote = Vote.objects.filter(voter=self.user, test=self._test).first()
        stored = (vote.value, vote.sequence) if vote else (0, 0)
        count = len(self.accepted_at)
        if stored != (self._value, count):
            kind = LOST if stored[1] < count else DUPLICATED
            text = f"vote {self._value}, changed {count} times, is stored as {stored}"
            yield Violation(ACKNOWLEDGED, kind, text)


class Publisher(HostUser):
    """Publishes one test after the other."""

    done = "drafts and publications"

    def __init__(self, port: int, name: str) -> None:
        super().__init__(port, name)
        self._batches: dict[int, int] = {}  # by test

    async def _act(self, number: int) -> None:
        code = f"# {number}\nassert {CALLED}({number}) == {number + 1}\n"
        draft = await self._insist("POST", f"/api/v1/functions/{CALLED}/tests/", {"code": code})
        if pk := draft.get("id"):
            path, key = f"/api/v1/tests/{pk}/publish/", f"publish-{pk}"
            self._batches[pk] = (await self._insist("POST", path, {}, key)).get("batch", 0)
        await asyncio.sleep(PUBLISHED_SECONDS)

    def violations(self) -> Iterator[Violation]:
        """Yield tests published and not acknowledged, or the other way, or with another batch."""
        yield from super().violations()
        tests = Test.objects.filter(author=self.user, state=Work.State.PUBLISHED)
        published = set(tests.values_list("pk", flat=True))
        keys = {f"publish-{test}": test for test in published | {*self._batches}}
        batches = batches_of([*keys])
        for key, test in keys.items():
            stored, answered = batches.get(key, []), self._batches.get(test)
            if test not in published or stored != [answered]:
                kind = DUPLICATED if len(stored) > 1 else LOST
                text = f"test {test} was published as {answered}, is stored with {stored}"
                yield Violation(ACKNOWLEDGED, kind, text)


class Caller(HostUser):
    """Calls a function again and again."""

    done = "calls"

    async def _act(self, number: int) -> None:
        path = f"/api/v1/functions/{CALLED}/call/"
        answer = await self._insist("POST", path, {"args": [number]})
        if answer and answer.get("result") != number + 1:
            text = f"{CALLED}({number}) returned {answer}"
            self.complaints.append(Violation(CALLS, WRONG, text))


def define_called() -> Function:
    """Define the function that is called; workers must elect its implementation."""
    owner = User.objects.get(username="founder")
    function = define_function(actor=owner, name=CALLED, signature="(x)")
    code = f"def {CALLED}(x):\n    return x + 1\n"
    draft = start_draft(actor=owner, function=function, model=Implementation, code=code)
    publish(actor=owner, draft=draft)
    return function


def users(port: int) -> list[HostUser]:
    """Return all these users; voters vote on the test of the draft's function."""
    test = Test.objects.get(function__name=DRAFTED)
    return [
        *(Voter(port, name, test.pk) for name in VOTERS),
        *(Caller(port, name) for name in CALLERS),
        Publisher(port, PUBLISHER),
    ]


def is_called(function: Function) -> bool:
    """Return whether the function can be called."""
    function.refresh_from_db()
    return function.elected_id is not None
