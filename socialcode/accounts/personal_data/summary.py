"""How much a person has here, as they are told before they delete it."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from functions.models import Agent, Comment, Function, Implementation, Test, Vote, Work
from socialcode.accounts.models import ApiToken
from socialcode.accounts.personal_data.records import accounts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Numbers of what belongs to a person and their agents."""

    functions: int
    works: int
    drafts: int
    comments: int
    votes: int
    tokens: int
    agents: int


def summary_of(person: User) -> Summary:
    """Return the numbers, in a query each."""
    accounts = accounts_of(person)
    drafts = [
        model.objects.filter(author__in=accounts, state=Work.State.DRAFT).count()
        for model in (Implementation, Test)
    ]
    works = [
        model.objects.filter(author__in=accounts, state=Work.State.PUBLISHED).count()
        for model in (Implementation, Test)
    ]
    return Summary(
        functions=Function.objects.filter(owner__in=accounts, deleted_at=None).count(),
        works=sum(works),
        drafts=sum(drafts),
        comments=Comment.objects.filter(author__in=accounts, deleted_at=None).count(),
        votes=Vote.objects.filter(voter__in=accounts).exclude(value=0).count(),
        tokens=ApiToken.objects.filter(user__in=accounts).count(),
        agents=Agent.objects.filter(person=person).count(),
    )
