"""The read model of a person's page."""

from dataclasses import dataclass
from datetime import date, datetime

from django.contrib.auth.models import User
from django.db.models import Count, F, Q, QuerySet, Sum

from functions.models import (
    Agent,
    AgentLabel,
    Cell,
    Function,
    Implementation,
    Profile,
    Test,
    Work,
    is_agent_name,
)
from functions.models.agent_labels import OWNER
from functions.people.deleted_accounts import is_deleted_name
from functions.people.former_names import user_once_named
from functions.read_models.activity import ActivityPage, activity_of
from functions.read_models.contributions import contributions_by_day
from functions.read_models.snapshot import snapshot

CAUGHT_SHOWN = 8
OWNED_SHOWN = 8
UNCAUGHT = ("", "passed")  # verdicts that are no failures


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Totals of a user's work, without drafts and works of deleted functions.

    `score` is the sum of votes on their works. `caught` are counting tests that some
    implementation fails.
    """

    functions: int
    implementations: int
    tests: int
    current: int
    dependents: int  # functions that import their current implementations
    score: int
    caught: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """A test with the number of implementations that fail it."""

    test: Test
    implementations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonPage:
    """A person's public page."""

    username: str
    joined_at: datetime
    profile: Profile
    agent_of: str  # the person behind an agent; empty for people
    agent_label: str  # of an agent, who says so: owner, holder or staff
    agents: tuple[str, ...]  # of a person, by name
    totals: Totals
    catches: tuple[Catch, ...]  # most failures first
    owned: tuple[Function, ...]  # last changed first
    days: dict[date, int]  # contributions of the last year
    activity: ActivityPage


def person_named(username: str) -> User | None:
    """Return the user of this name, present or former, in any case; None if it was deleted."""
    if "\0" in username or is_deleted_name(username.lower()):
        return None
    return User.objects.filter(username__iexact=username).first() or user_once_named(username)


def person_page(
    user: User, *, today: date, show: str = "", cursor: str = "", limit: int = 30
) -> PersonPage:
    """Return a person's page from one snapshot; `show` and `cursor` as in `activity_of`."""
    with snapshot():
        return PersonPage(
            username=user.get_username(),
            joined_at=user.date_joined,
            profile=profile_shown(user),
            agent_of=agent_of(user),
            agent_label=agent_label(user),
            agents=agents_shown(user),
            totals=_totals(user),
            catches=_catches(user),
            owned=tuple(_owned(user).order_by("-changed_at")[:OWNED_SHOWN]),
            days=contributions_by_day(user, today),
            activity=activity_of(user, show=show, cursor=cursor, limit=limit),
        )


def person_totals(user: User) -> Totals:
    """Return a user's totals, from one snapshot."""
    with snapshot():
        return _totals(user)


def profile_shown(user: User) -> Profile:
    """Return a user's profile; an empty one while they are suspended."""
    profile = Profile.objects.filter(user=user).first() if user.is_active else None
    return profile or Profile(user=user)


def agent_of(user: User) -> str:
    """Return the name of the person behind an agent, or an empty text."""
    if not is_agent_name(user.get_username()):
        return ""
    rows = Agent.objects.filter(user=user).values_list("person__username", flat=True)
    return rows.first() or ""


def agent_label(user: User) -> str:
    """Return who says that this account is an agent's: owner, holder or staff; empty if nobody."""
    if is_agent_name(user.get_username()):
        return OWNER
    return AgentLabel.objects.filter(user=user).values_list("source", flat=True).first() or ""


def agents_shown(user: User) -> tuple[str, ...]:
    """Return the names of a person's agents, in order."""
    names = Agent.objects.filter(person=user).values_list("user__username", flat=True)
    return tuple(names.order_by("user__username"))


def _owned(user: User) -> QuerySet[Function]:
    return Function.objects.filter(owner=user, deleted_at=None)


def _totals(user: User) -> Totals:
    is_current = Q(function__elected=F("pk"))
    shown = Q(author=user, function__deleted_at=None) & ~Q(state=Work.State.DRAFT)
    implementations = Implementation.objects.filter(shown).aggregate(
        count=Count("pk"),
        score=Sum("score", default=0),
        current=Count("pk", filter=is_current),
        dependents=Sum("function__usage__dependents", filter=is_current, default=0),
    )
    tests = Test.objects.filter(shown).aggregate(count=Count("pk"), score=Sum("score", default=0))
    return Totals(
        functions=_owned(user).count(),
        implementations=implementations["count"],
        tests=tests["count"],
        current=implementations["current"],
        dependents=implementations["dependents"],
        score=implementations["score"] + tests["score"],
        caught=_caught(user).aggregate(tests=Count("test", distinct=True))["tests"],
    )


def _caught(user: User) -> QuerySet[Cell]:
    counting = Cell.objects.filter(test__author=user, test__counts=True)
    return counting.filter(test__function__deleted_at=None).exclude(verdict__in=UNCAUGHT)


def _catches(user: User) -> tuple[Catch, ...]:
    most = _caught(user).values("test").annotate(count=Count("pk")).order_by("-count", "-test")
    counts = dict(most.values_list("test", "count")[:CAUGHT_SHOWN])
    tests = Test.objects.select_related("function").defer("code").in_bulk(list(counts))
    return tuple(Catch(test=tests[pk], implementations=count) for pk, count in counts.items())
