"""The needs of an application's pieces, each with the address of the page that meets it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.urls import reverse
from django.utils.http import urlencode

from functions.models import AcceptanceTest, Function, Test

FEW_TESTS = 2  # fewer are few


class Task(StrEnum):
    """Kinds of needs, the most urgent first."""

    DEFINE = "define"
    IMPLEMENT = "implement"
    UNBLOCK = "unblock"
    FIND_COLLECTION = "find_collection"
    LIST_PAGE = "list_page"
    SETTLE = "settle"
    MEET_CHALLENGE = "meet_challenge"
    ACCEPT = "accept"
    REPAIR_TEST = "repair_test"
    TEST = "test"
    TEST_MORE = "test_more"
    REPAIR = "repair"
    SPEED_UP = "speed_up"

    @property
    def rank(self) -> int:
        """The place among all, from 0."""
        return list(Task).index(self)

    @property
    def is_urgent(self) -> bool:
        """Whether the application does not work until it is done."""
        return self.rank < Task.SETTLE.rank


_VIEWS = {
    Task.IMPLEMENT: "new-implementation",
    Task.SPEED_UP: "new-implementation",
    Task.LIST_PAGE: "change-collection",
    Task.SETTLE: "why",
    Task.TEST: "new-test",
    Task.TEST_MORE: "new-test",
}
_OF_SUBJECT = (Task.UNBLOCK, Task.LIST_PAGE)  # done at a page of the subject


@dataclass(frozen=True, slots=True)
class Need:
    """A need of a piece; `subject` is the name or label of what the task is about."""

    task: Task
    function: str
    subject: str = ""
    count: int = 1
    address: str = ""  # where it is done, if the task doesn't tell

    @property
    def url(self) -> str:
        """The address of the page that meets it."""
        if self.task == Task.FIND_COLLECTION:
            return f"{reverse('new-collection')}?{urlencode({'name': self.subject})}"
        name = self.subject if self.task in _OF_SUBJECT else self.function
        view = _VIEWS.get(self.task, "function")
        return self.address or reverse(view, args=[name or self.function])


def needs_of(
    functions: Sequence[Function],
    *,
    missing: Iterable[str],
    tests: Mapping[int, int],
    challenged: Iterable[Test],
    failing: Mapping[int, tuple[int, int]],
    refused: Iterable[AcceptanceTest],
) -> list[Need]:
    """Return what these functions need, in their order.

    `tests` are the numbers of tests that count, `challenged` tests that could count and don't,
    `failing` the number of implementations that fail and that of the newest, by function;
    `refused` are acceptance tests that fail.
    """
    needs = [Need(Task.DEFINE, name) for name in missing]
    for function in functions:
        needs += _of_function(function, tests.get(function.pk, 0))
        if function.pk in failing:
            count, number = failing[function.pk]
            address = f"{function.get_absolute_url()}#I{number}"
            needs.append(Need(Task.REPAIR, function.name, f"#{number}", count, address))
    for test in challenged:
        is_broken = test.health == Test.Health.BROKEN
        task = Task.REPAIR_TEST if is_broken else Task.MEET_CHALLENGE
        needs.append(Need(task, test.function.name, str(test), address=test.get_absolute_url()))
    for accepting in refused:
        address = accepting.get_absolute_url()
        needs.append(
            Need(Task.ACCEPT, accepting.target.name, accepting.function.name, address=address)
        )
    return needs


def _of_function(function: Function, tests: int) -> Iterator[Need]:
    if function.status == Function.Status.NOT_IMPLEMENTED and not function.judging:
        yield Need(Task.IMPLEMENT, function.name)
    elif function.status == Function.Status.BLOCKED:
        yield Need(Task.UNBLOCK, function.name, function.blocked_by)
    if function.chase:
        others = ", ".join(function.chase.others(function.name))
        yield Need(Task.SETTLE, function.name, others)
    if not tests:
        yield Need(Task.TEST, function.name)
    elif tests < FEW_TESTS:
        yield Need(Task.TEST_MORE, function.name, count=tests)
