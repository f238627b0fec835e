"""Answers of the site, with the fields that are promised; others are kept and ignored."""

from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

T = TypeVar("T")


class Answer(BaseModel):
    """An answer, or a part of one. Fields that a newer site adds are in `model_extra`."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Page(Answer, Generic[T]):
    """A page of a list; `next` is the cursor of the next one."""

    items: list[T]
    next: str | None = None


class Link(Answer):
    """A function by name."""

    name: str
    status: str


class FunctionShort(Answer):
    """A function in a list."""

    name: str
    kind: str
    language: str
    signature: str
    description: str
    owner: str
    status: str
    untested: bool
    elected: int | None


class Scores(Answer):
    """The scores of a work after one's vote; `apart`: the vote is in `agent_score`."""

    score: int
    agent_score: int = 0
    apart: bool = False


class Work(Answer):
    """An implementation or a test."""

    id: int
    function: str
    author: str
    title: str
    code: str
    language: str
    state: str
    number: int | None
    version: int
    based_on: int | None
    published_at: datetime | None
    license: str | None = None
    score: int
    acceptable: bool
    depends_on: list[str]

    @property
    def label(self) -> str:
        """Its number on the function's page; of a draft, its id."""
        return f"#{self.number}" if self.number else f"draft {self.id}"


class Implementation(Work):
    """An implementation with its standing."""

    standing: str
    reason: str
    passed: int
    counting: int
    cpu_us: int | None


class Test(Work):
    """A test with its health."""

    __test__ = False  # pytest: not a test class

    health: str
    reason: str
    counts: bool
    challenge: bool


class Cell(Answer):
    """An implementation against a test."""

    implementation: int
    test: int
    verdict: str | None
    key: str | None
    current: bool


class Function(FunctionShort):
    """A function with all that its page shows."""

    judging: bool
    depends_on: list[Link]
    depended_on_by: list[Link]
    implementations: list[Implementation]
    tests: list[Test]
    cells: list[Cell]
    topic: str
    epoch: int
    seq: int

    @property
    def current(self) -> Implementation | None:
        """The elected implementation."""
        return next((one for one in self.implementations if one.id == self.elected), None)


class Batch(Answer):
    """A run and its progress."""

    id: int
    cause: str
    state: str
    total: int
    tasks: dict[str, int]
    verdicts: dict[str, int]
    executed: int
    function: str | None = None

    @property
    def is_open(self) -> bool:
        return self.state == "open"

    @property
    def done(self) -> int:
        """The number of tasks that have ended."""
        ended = ("succeeded", "ignored", "cancelled")
        return sum(self.tasks.get(state, 0) for state in ended)


class Task(Answer):
    """A program of a run, and its result."""

    id: int
    batch: int
    key: str
    state: str
    verdict: str | None
    message: str
    line: int | None
    implementation: int | None
    test: int | None


class LogLine(Answer):
    """A line of a log, written `ms` after the program's start."""

    ms: float
    stream: str
    text: str


class Result(Answer):
    """A program's result."""

    key: str
    verdict: str
    message: str
    module: str
    line: int | None
    log: list[LogLine]
    truncated: bool
    cpu_us: int
    wall_us: int


class Version(Answer):
    """A function with the implementation that a call used."""

    name: str
    implementation: int
    sha256: str


class Call(Answer):
    """A call's result and its cost."""

    result: Any
    log: list[LogLine]
    truncated: bool
    cpu_us: int
    wall_us: int
    lock: str
    versions: list[Version]


class CheckedCell(Answer):
    """What a pair of unsaved code and a work gave; the unsaved one has no id."""

    implementation: int | None = None
    test: int | None = None
    verdict: str | None
    reason: str | None = None
    message: str = ""
    module: str = ""
    line: int | None = None
    expected: str | None = None
    actual: str | None = None
    log: list[LogLine] = []


class Check(Answer):
    """What unsaved code gave; `verdict` is of loading it."""

    verdict: str | None
    message: str = ""
    module: str = ""
    line: int | None = None
    log: list[LogLine] = []
    cells: list[CheckedCell]


class Event(Answer):
    """An event of a topic."""

    seq: int
    type: str
    payload: dict[str, Any]
    at: str


class EventPage(Answer):
    """Events after a position; with `reset`, the state is to be read anew."""

    topic: str
    epoch: int
    head: int
    events: list[Event]
    reset: bool = False
    reason: str = ""


class ExportFile(Answer):
    """A file of an export."""

    filename: str
    what: str
    url: str


class Export(Answer):
    """An exported function."""

    name: str
    version: str
    package: str
    digest: str
    files: list[ExportFile]


class Requirement(Answer):
    """A release that another one needs."""

    name: str
    number: int


class Release(Answer):
    """The meaning of importing a function, from `created_at` to the next release."""

    number: int
    implementation: int | None
    author: str | None
    requires: list[Requirement]
    created_at: datetime
    yanked: str | None
    built: bool


class Change(Answer):
    """A function whose release differs between two times."""

    name: str
    former: int | None
    latter: int | None


class Canary(Answer):
    """A registered project; `secret` is of its webhook, when that was just made."""

    id: int
    name: str
    locked: int
    differing: int
    webhook: int | None
    version: int
    locked_at: datetime
    told_at: datetime | None
    releases: list[Requirement] = []
    secret: str | None = None


class LockChange(Answer):
    """A locked release that isn't current now."""

    name: str
    former: int
    latter: int | None
    difference: str
    through: list[str]
    yanked: str | None
    cause: str
    by: str
    at: datetime | None
    diff_url: str | None


class Started(Answer):
    """The run that was started."""

    batch: int


class Token(Answer):
    """A new token."""

    token: str
