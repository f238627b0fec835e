"""Schemas of responses."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field
from typing_extensions import TypedDict  # pydantic asks for this one before Python 3.12

from functions.api.problems import Problem


class LinkShown(BaseModel):
    """A function by name; `missing` when there is none."""

    name: str
    status: str = Field(description="implemented, blocked, not_implemented or missing")


class FunctionShort(BaseModel):
    """A function in a list."""

    name: str
    kind: str
    language: str
    signature: str
    description: str
    owner: str
    status: str = Field(description="implemented, blocked or not_implemented")
    untested: bool
    elected: int | None = Field(description="the id of the current implementation")
    circle: list[str] = Field(
        description="the functions elected together, itself among them; empty: it alone"
    )
    archived: bool = Field(description="it takes nothing new")


class WorkShown(BaseModel):
    """What implementations and tests have in common."""

    id: int
    function: str
    author: str
    title: str
    code: str
    state: str = Field(description="draft, published or withdrawn")
    number: int | None = Field(description="how people call it, once it is published")
    version: int = Field(description="counts the saves of a draft")
    based_on: int | None
    published_at: datetime | None
    score: int = Field(description="votes up less votes down")
    acceptable: bool = Field(description="the owner's verdict, else (of a test) its voters'")
    owner_verdict: bool | None
    depends_on: list[str]


class ImplementationShown(WorkShown):
    """An implementation with its standing."""

    standing: str = Field(
        description="eligible, failing, blocked, circular, not_loading, unjudged, duplicate "
        "or unacceptable"
    )
    reason: str
    passed: int = Field(description="counting tests passed")
    counting: int = Field(description="tests that count")
    cpu_us: int | None = Field(description="median of the runs that passed")


class TestShown(WorkShown):
    """A test with its health."""

    __test__ = False  # pytest: not a test class

    health: str = Field(description="working, broken or circular")
    reason: str
    counts: bool
    challenge: bool = Field(
        description="somebody's who doesn't own the function, published after its first election: "
        "it decides nothing until the owner accepts it, its score reaches 1, or the current "
        "implementation passes it"
    )
    standing_cause: str | None = Field(
        description="why it is no challenge: owner, early, accepted, voted, passed or upgrade; "
        "null: it is one, or a draft"
    )
    standing_since: datetime | None


class CellShown(BaseModel):
    """An implementation against a test; `verdict` may be of an older program unless `current`."""

    implementation: int
    test: int
    verdict: str | None
    key: str | None = Field(description="the program that the pair means now")
    current: bool


# With whom a function's elections chase each other; `with` is a keyword, so no class can say it.
UnsettledShown = TypedDict(
    "UnsettledShown",
    {
        "with": Annotated[list[str], Field(description="the other functions")],
        "tests": Annotated[list[int], Field(description="by which they do, of all of these")],
    },
)


class FunctionWhole(FunctionShort):
    """A function with everything that its page shows."""

    judging: bool = Field(description="an election waits for verdicts")
    unsettled: UnsettledShown | None = Field(
        description="its election and others' unseat each other's choice: what they had is kept"
    )
    offered_to: str | None = Field(description="whom ownership is offered to")
    depends_on: list[LinkShown]
    depended_on_by: list[LinkShown]
    implementations: list[ImplementationShown]
    tests: list[TestShown]
    cells: list[CellShown]
    topic: str = Field(description="its stream of events")
    epoch: int
    seq: int = Field(description="the last event of the stream that this answer contains")


class FunctionList(BaseModel):
    """A page of functions; `next` is the cursor of the page that follows."""

    items: list[FunctionShort]
    next: str | None


class TaskCounts(BaseModel):
    """Tasks by state."""

    waiting: int = Field(description="for another task to succeed")
    pending: int
    in_progress: int
    succeeded: int
    failed: int
    ignored: int
    cancelled: int


class VerdictCounts(BaseModel):
    """Succeeded tasks by verdict."""

    passed: int
    failed: int
    error: int
    time_limit: int
    memory_limit: int
    output_limit: int
    policy: int
    crashed: int
    flaky: int = Field(description="run again, the program came to another verdict")


class BatchShown(BaseModel):
    """A run and how far it is."""

    id: int
    cause: str
    state: str = Field(description="open, complete or cancelled")
    all_tasks_loaded: bool
    total: int
    tasks: TaskCounts
    verdicts: VerdictCounts
    parent: int | None
    created_at: datetime
    finished_at: datetime | None
    executed: int = Field(description="runs that really took place")
    function: str | None = Field(description="what it is about, if that is still there")
    owner: str = Field(description="who asked for it; nobody if empty")
    private: bool = Field(description="seen by its owner alone: a draft's run")


class BatchList(BaseModel):
    """A page of runs; `next` is the cursor of the page that follows."""

    items: list[BatchShown]
    next: str | None


class TaskShort(BaseModel):
    """A program of a run, and what came of it."""

    id: int
    batch: int
    key: str
    state: str = Field(
        description="waiting, pending, in_progress, succeeded (a verdict was recorded, whatever "
        "it says), failed (to be tried again), ignored (given up) or cancelled"
    )
    verdict: str | None
    message: str
    line: int | None
    implementation: int | None
    test: int | None
    executed: bool = Field(description="it took place for this run, rather than being known")
    attempts: int
    worker: str = Field(description="who made the last attempt")
    cpu_us: int | None
    wall_us: int | None
    queued_at: datetime
    started_at: datetime | None = Field(description="the last attempt")
    finished_at: datetime | None
    run_again_at: datetime | None = Field(
        description="when a later run began, whose result `verdict`, `message`, `line`, `cpu_us` "
        "and `wall_us` are; null: they are of this one, or were known to it"
    )


class AttemptShown(BaseModel):
    """A try at a program."""

    number: int
    outcome: str = Field(
        description="running, recorded, handed_back, repeated, failed, lost or cancelled"
    )
    error: str = Field(description="with the traceback")
    worker: str
    started_at: datetime
    ended_at: datetime | None


class TaskShown(TaskShort):
    """A task with every attempt at it, the last one first."""

    tries: list[AttemptShown]


class TaskList(BaseModel):
    """A page of tasks; `next` is the cursor of the page that follows."""

    items: list[TaskShort]
    next: str | None


class BatchStarted(BaseModel):
    """The run that follows."""

    batch: int


class ScoreShown(BaseModel):
    """The score after the vote."""

    score: int


class LogLineShown(BaseModel):
    """A line that the program wrote, `ms` after its start."""

    ms: float
    stream: str
    text: str


class ModuleNamed(BaseModel):
    """A module of the program; the hash is of its text with line feeds as line ends."""

    name: str
    sha256: str


class ResultShown(BaseModel):
    """What came out of a program."""

    key: str
    verdict: str
    message: str
    module: str
    line: int | None
    log: list[LogLineShown]
    truncated: bool
    cpu_us: int
    wall_us: int
    peak_bytes: int
    attempt: int
    modules: list[ModuleNamed]
    created_at: datetime


class VersionNamed(BaseModel):
    """A function in the implementation that was used."""

    name: str
    implementation: int
    sha256: str = Field(description="of its text with line feeds as line ends")


class CallAnswer(BaseModel):
    """What a call returned, and what it took."""

    result: Any = Field(description="what the function returned, as JSON")
    log: list[LogLineShown]
    truncated: bool = Field(description="the log was cut off")
    cpu_us: int
    wall_us: int
    lock: str = Field(description="sent with another call, it has these very versions used")
    versions: list[VersionNamed] = Field(description="the closure, dependencies first")


class CallProblem(Problem):
    """What is wrong with a call; or, as `call_failed`, what went wrong in it."""

    verdict: str | None = Field(
        None,
        description="failed, error, time_limit, memory_limit, output_limit, policy or crashed; "
        "null: nothing has been run, and so below",
    )
    message: str = ""
    module: str | None = Field(None, description="the function in whose code it went wrong")
    line: int | None = None
    log: list[LogLineShown] = []
    truncated: bool = False
    cpu_us: int | None = None
    wall_us: int | None = None
    lock: str | None = None
    versions: list[VersionNamed] = []


class TokenMade(BaseModel):
    """A token, which is told this once."""

    token: str


class EventShown(BaseModel):
    """An event of a topic."""

    seq: int
    type: str
    payload: dict[str, object]
    # As text, so that it is written here as a socket writes it.
    at: str = Field(json_schema_extra={"format": "date-time"})


class EventPage(BaseModel):
    """Events after a place; with `reset`, read the state anew and follow from its `seq`."""

    topic: str
    epoch: int
    head: int
    events: list[EventShown]
    reset: bool = False
    reason: str = ""
