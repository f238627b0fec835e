"""Accounts of the clients, and their drafts. Called in the main thread."""

from dataclasses import dataclass
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from chaos.load import TOPICS
from chaos.people import FUNCTIONS
from functions.authoring import define_function, publish, start_draft
from functions.models import Function, Implementation, Test
from socialcode.accounts.tokens import create_token

AUTHORS = ("author0", "author1")
READERS = ("reader0", "reader1", "reader2")
ONLOOKERS = ("onlooker0", "onlooker1")
DRAFTED = "ChaosDrafted"


class Session:
    """A user who signs in and out."""

    def __init__(self, name: str) -> None:
        self._user = User.objects.get_or_create(username=name)[0]
        self._client = Client()
        self.sign_in()

    def sign_in(self) -> None:
        self._client.force_login(self._user)

    def sign_out(self) -> None:
        """End the session, which notifies the web servers."""
        self._client.logout()

    @property
    def cookie(self) -> str:
        name = settings.SESSION_COOKIE_NAME
        return f"{name}={self._client.cookies[name].value}"


class Author(NamedTuple):
    """A user with a draft."""

    name: str
    session: Session
    token: str
    draft: int
    topic: str  # of the draft's runs


@dataclass(frozen=True)
class Guests:
    """The clients' users, and the public topics."""

    authors: list[Author]
    readers: list[Session]
    onlookers: dict[str, Session]
    topics: list[str]
    looked_at: str  # topic of the onlookers' page


def invite() -> Guests:
    """Create the accounts and drafts; the functions of `chaos.people` must exist."""
    function = define_function(
        actor=User.objects.get(username="founder"), name=DRAFTED, signature="(x)"
    )
    test = start_draft(
        actor=function.owner, function=function, model=Test, code=f"assert {DRAFTED}(1) == 2\n"
    )
    publish(actor=function.owner, draft=test)
    functions = [Function.objects.get(name=name).topic for name in FUNCTIONS]
    return Guests(
        authors=[_author(name, function) for name in AUTHORS],
        readers=[Session(name) for name in READERS],
        onlookers={name: Session(name) for name in ONLOOKERS},
        topics=[*functions, *(f"chaos:{number}" for number in range(TOPICS))],
        looked_at=functions[0],
    )


def _author(name: str, function: Function) -> Author:
    session = Session(name)
    user = User.objects.get(username=name)
    draft = start_draft(actor=user, function=function, model=Implementation)
    _, token = create_token(user=user)
    return Author(name, session, token, draft.pk, draft.draft_topic)
