"""Loads the sample library through the same use cases as users' works."""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from functions.analysis.client import check_code
from functions.authoring import define_function, publish, start_draft
from functions.errors import Unavailable
from functions.graph.algorithms import topological_order
from functions.kinds import JAVASCRIPT, KINDS, PYTHON, Kind
from functions.maintenance.sample_collections import load_collections
from functions.models import Function, Implementation, Test, Vote, Work
from functions.names import name_key
from functions.voting.votes import cast_votes
from runner.analysis.client import wait_for_analysis_server
from runner.quotas import unlimited

LIBRARY = Path(__file__).parents[1] / "samples" / "library"
UNFINISHED = LIBRARY.with_name("unfinished")
SAMPLES = "samples"
CHECKS_SECONDS = 30.0
ACCOUNTS = ("mira", "jun", "ana", "otto", "wren", "sol")

Report = Callable[[str], None]
# (noun, function id, author id, title)
WorkKey = tuple[str, int, int, str]


_SECTIONS: Mapping[str, type[Implementation] | type[Test]] = {
    "implementations": Implementation,
    "tests": Test,
    "challenges": Test,
}
_LANGUAGES = {".js": JAVASCRIPT.language}


@dataclass(frozen=True, slots=True)
class SampleWork:
    """An implementation or test of the library."""

    model: type[Implementation] | type[Test]
    title: str
    author: str
    code: str
    votes: Mapping[str, int]
    language: str = PYTHON.language  # that of functions and tests
    is_challenge: bool = False  # a test to publish after the first election


@dataclass(frozen=True, slots=True)
class Sample:
    """A function of the library, with its works."""

    name: str
    kind: str
    signature: str
    description: str
    owner: str
    works: tuple[SampleWork, ...]

    def kind_of(self, work: SampleWork) -> Kind:
        """Return the kind that decides how one of its works is written."""
        if work.language == JAVASCRIPT.language:
            return JAVASCRIPT
        return KINDS[self.kind] if work.model is Implementation else PYTHON


def load_samples(*, report: Report, libraries: Sequence[Path] = (LIBRARY, UNFINISHED)) -> int:
    """Publish all works of the libraries that the site lacks; return the number published.

    Challenges are left for a later call while their function has no current implementation. Can be
    interrupted and repeated. Later deletions, withdrawals and votes are not undone.
    """
    samples = _in_order([sample for library in libraries for sample in read_library(library)])
    accounts = {name: _account(name) for name in ACCOUNTS}
    present = _Present(accounts.values())
    published = 0
    if any(_unpublished(sample, accounts, present) for sample in samples):
        await_checks()
    for number, sample in enumerate(samples, start=1):
        # Check first, as checks are not allowed in transactions; their results are cached.
        for work in _unpublished(sample, accounts, present):
            kind = sample.kind_of(work)
            kind.check(work.code) or check_code(work.code, owner=SAMPLES, kind=kind)
        with unlimited():  # the site's own accounts
            count = _load(sample, accounts, present)
        if count:
            report(f"{number} of {len(samples)}: {sample.name}, {count} works")
        published += count
    if published:  # otherwise collections that were deleted would come back
        for library in libraries:
            load_collections(library, accounts)
    return published


def await_checks() -> None:
    """Wait for a process that checks source. Raises Unavailable if there is none in time."""
    if not wait_for_analysis_server(CHECKS_SECONDS):
        raise Unavailable("checks_away", "Code can't be checked: `manage.py callers` must run.")


def read_library(library: Path) -> list[Sample]:
    """Read all folders of the library."""
    return [_read(file.parent) for file in sorted(library.glob("*/*/function.toml"))]


def _read(folder: Path) -> Sample:
    top = tomllib.loads((folder / "function.toml").read_text(encoding="utf-8"))
    works = [
        SampleWork(
            model=model,
            title=listed["title"],
            author=listed["author"],
            code=(folder / listed["file"]).read_text(encoding="utf-8"),
            language=_LANGUAGES.get(Path(listed["file"]).suffix, PYTHON.language),
            votes={**dict.fromkeys(listed["up"], 1), **dict.fromkeys(listed["down"], -1)},
            is_challenge=section == "challenges",
        )
        for section, model in _SECTIONS.items()
        for listed in top.get(section, ())
    ]
    return Sample(
        name=top["name"],
        kind=top.get("kind", PYTHON.name),
        signature=top["signature"],
        description=top["description"].strip() + "\n",
        owner=top["owner"],
        works=tuple(works),
    )


def _in_order(samples: list[Sample]) -> list[Sample]:
    """Sort functions before their dependents, as far as possible."""
    numbers = {name_key(sample.name): number for number, sample in enumerate(samples)}
    edges = [
        [
            numbers[key]
            for work in sample.works
            for key in sample.kind_of(work).find_markers(work.code).first_by_key()
            if key in numbers
        ]
        for sample in samples
    ]
    return [samples[number] for number in topological_order(range(len(samples)), edges.__getitem__)]


def _tests_first(sample: Sample) -> list[SampleWork]:
    return sorted(sample.works, key=lambda work: work.model is Implementation)


@transaction.atomic
def _load(sample: Sample, accounts: Mapping[str, User], present: "_Present") -> int:
    """Publish all works of one function, or none; return their number."""
    function = _function(sample, accounts, present)
    if function is None:
        return 0
    works = [work for work in _tests_first(sample) if _is_due(work, function)]
    return sum(_load_work(function, work, accounts, present) for work in works)


def _unpublished(
    sample: Sample, accounts: Mapping[str, User], present: "_Present"
) -> list[SampleWork]:
    """Return the works that are still to be published."""
    function = present.functions.get(name_key(sample.name))
    if function is None:
        return [work for work in sample.works if not work.is_challenge]
    return [
        work
        for work in sample.works
        if _is_due(work, function)
        and (
            (stored := present.find(function, work, accounts)) is None
            or stored.state == Work.State.DRAFT
        )
    ]


def _is_due(work: SampleWork, function: Function) -> bool:
    return not work.is_challenge or function.elected_id is not None


def have_challenges_to_load(libraries: Iterable[Path] = (LIBRARY, UNFINISHED)) -> bool:
    """Return whether a challenge of the libraries waits to be published."""
    challenges = {
        (name_key(sample.name), work.title)
        for library in libraries
        for sample in read_library(library)
        for work in sample.works
        if work.is_challenge
    }
    functions = {"name_key__in": {name for name, _ in challenges}, "deleted_at": None}
    living = set(Function.objects.filter(**functions).values_list("name_key", flat=True))
    tests = Test.objects.filter(function__name_key__in=living)
    published = set(tests.values_list("function__name_key", "title"))
    return any(name in living for name, title in challenges if (name, title) not in published)


class _Present:
    """Functions, works and votes that exist already."""

    def __init__(self, accounts: Iterable[User]) -> None:
        people = list(accounts)
        self.functions = {
            function.name_key: function for function in Function.objects.order_by("id")
        }
        self.works: dict[WorkKey, Implementation | Test] = dict(self._works(people))
        votes = Vote.objects.filter(voter__in=people)
        self.votes = set(votes.values_list("voter", "implementation", "test"))

    def _works(self, people: list[User]) -> Iterator[tuple[WorkKey, Implementation | Test]]:
        for model in (Implementation, Test):
            rows: Any = model.objects.filter(author__in=people).select_related("function")
            for work in rows:
                yield (model.noun, work.function_id, work.author_id, work.title), work

    def find(
        self, function: Function, work: SampleWork, accounts: Mapping[str, User]
    ) -> Implementation | Test | None:
        """Return the stored work of this sample, if there is one."""
        key = (work.model.noun, function.pk, accounts[work.author].pk, work.title)
        return self.works.get(key)

    def has_vote(self, voter: User, work: Implementation | Test) -> bool:
        """Return whether this account has voted on the work; a withdrawn vote counts."""
        pair = (work.pk, None) if isinstance(work, Implementation) else (None, work.pk)
        return (voter.pk, *pair) in self.votes


def _account(name: str) -> User:
    """Return a sample account, whose password is unusable."""
    user = User.objects.filter(username=name).first()
    return user or User.objects.create_user(name)


def _function(sample: Sample, accounts: Mapping[str, User], present: _Present) -> Function | None:
    """Return the sample's function; None if it was deleted or the name is another user's."""
    function = present.functions.get(name_key(sample.name))
    owner = accounts[sample.owner]
    if function is None:
        return define_function(
            actor=owner,
            name=sample.name,
            kind=sample.kind,
            signature=sample.signature,
            description=sample.description,
        )
    is_ours = function.owner_id == owner.pk and function.deleted_at is None
    return function if is_ours else None


def _load_work(
    function: Function, sample: SampleWork, accounts: Mapping[str, User], present: _Present
) -> bool:
    """Publish a work and cast its votes where missing; return whether it was published now."""
    author = accounts[sample.author]
    work = present.find(function, sample, accounts)
    is_new = work is None or work.state == Work.State.DRAFT
    if work is None:
        work = start_draft(
            actor=author,
            function=function,
            model=sample.model,
            code=sample.code,
            title=sample.title,
            language=sample.language,
        )
    if is_new:
        publish(actor=author, draft=work)
        work.refresh_from_db()
    if work.state == Work.State.PUBLISHED:
        votes = {accounts[name]: value for name, value in sample.votes.items()}
        missing = {user: vote for user, vote in votes.items() if not present.has_vote(user, work)}
        cast_votes(work=work, values=missing)
    return is_new
