"""Each role's world, and a request of everything that the site and its API offer."""

import json
import re
from collections.abc import Callable, Iterator
from inspect import getclosurevars, isfunction
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.contrib.auth.models import AnonymousUser, User
from django.core import signing
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from functions.models import (
    AcceptanceTest,
    AgentLabel,
    Comment,
    Digest,
    Function,
    Implementation,
    Item,
    Preview,
    Test,
)
from functions.notifications.digests import CONFIRM, UNSUBSCRIBE, link_of
from functions.views.page_visits import visit_url
from functions.views.pages import SALT
from runner.programs.program import source_hash
from runner.registry import Actor, handlers
from runner.states import State
from socialcode.accounts.agents.accounts import create_agent
from socialcode.accounts.suspensions import suspend
from socialcode.accounts.tokens import create_token
from tests.support import builders as make
from tests.support.pages import Rows
from tests.support.proofs import prove
from tests.support.records import SOURCE

MANUAL = Path(__file__).resolve().parents[2] / "docs/roles.md"
API = "api/v1/"
ROLES = ("visitor", "member", "agent", "owner", "staff", "suspended")
CODE = "def Crowd():\n    return 1\n"
TEST = "# <<Used>>\nassert True\n"
PASSWORD = "a password of tests"
DJANGOS = ("admin:", "django_rq:")  # their pages are for staff as a whole


class Entry(NamedTuple):
    """A method with a page's name or an API's route, as docs/roles.md names it; and its address."""

    name: str
    method: str
    route: str


def api_entries() -> Iterator[Entry]:
    """Return all operations of the API."""
    found: dict[str, Entry] = {}
    for route, _, view in patterns(get_resolver()):
        if route.startswith(API) and isfunction(view):
            operations = getattr(getclosurevars(view).nonlocals.get("self"), "operations", ())
            for method in (method for each in operations for method in each.methods):
                name = f"{method} {route.removeprefix(API)}"
                found[name] = Entry(name, method, route)
    return iter(found.values())


def page_entries() -> Iterator[Entry]:
    """Return all pages, with methods that some of them don't take."""
    seen: set[str] = set()
    for route, name, _ in patterns(get_resolver()):
        if name and name not in seen and not route.startswith(API) and not name.startswith(DJANGOS):
            seen.add(name)
            yield from (Entry(f"{method} {name}", method, route) for method in ("GET", "POST"))


def topic_kinds() -> set[str]:
    """Return the kinds of topics that sockets may follow."""
    return {*handlers.topic_permissions, *handlers.public_topics}


def patterns(resolver: Any, before: str = "", space: str = "") -> Iterator[tuple[str, str, Any]]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from patterns(pattern, route, inner)
        elif isinstance(pattern, URLPattern):
            yield route, f"{space}{pattern.name or ''}", pattern.callback


def promised() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Return what docs/roles.md says: of which action a request is, its name, a word by role."""
    for line in MANUAL.read_text("utf-8").splitlines():
        what, *words, requests = line.strip("| ").split(" | ") if "` |" in line else ("", "")
        for name in re.findall(r"`([^`]+)`", requests):
            yield what, name, dict(zip(ROLES, words, strict=True))


class World(Rows):
    """What a role asks for: owner, agent and suspended for what is theirs, the others not."""

    def __init__(self, role: str) -> None:
        self.actor = make.user(role, is_staff=role == "staff", password=PASSWORD)
        self.role = role
        owner = self.actor if role in ("owner", "suspended") else make.user("somebody")
        agent, _ = create_agent(actor=owner, name="helper")
        if role == "agent":
            self.actor = agent.user
        super().__init__(owner)
        self.owner, self.author = owner, self.actor if role == "agent" else owner
        self._add_works()
        self._add_runs()
        self.lone = make.function("Lone", owner=owner)  # which nothing uses
        self.digest = Digest.objects.create(user=owner, frequency="daily", address="a@example.org")
        self.address = EmailAddress.objects.create(user=owner, email="b@example.org")
        self.own_token = create_token(user=owner)[0]
        self.token = create_token(user=self.actor)[1]
        root = make.user("root", is_superuser=True, is_staff=True)
        for name in {"suspect", role} if role == "suspended" else {"suspect"}:
            User.objects.get_or_create(username=name)
            suspend(actor=root, username=name, reason="Spam.")

        make.user("robot")
        for user in User.objects.filter(username__in={"robot"} | {role} & {"member", "owner"}):
            AgentLabel.objects.create(user=user, source=AgentLabel.Source.HOLDER)

    def _add_works(self) -> None:
        used, author = make.function("Used", owner=self.owner), self.author
        make.elect(make.implementation(used, author=author, code="def Used(): pass\n"))
        self.draft = make.implementation(self.crowd, author=author, state="draft", code=CODE)
        self.test_draft = make.test_of(self.crowd, author=author, state="draft", code=TEST)
        self.work = make.implementation(self.crowd, author=author, code=CODE)
        make.elect(self.work)
        make.dependency(self.work, "Used", used)
        self.test = make.test_of(self.crowd, author=author, code="assert True\n")
        make.cell(self.work, self.test, "passed", key=bytes(self.execution.key))
        said = {"function": self.crowd, "author": author, "text": "Said"}
        self.comment = Comment.objects.create(**said)
        self.hidden = Comment.objects.create(**said, hidden_at=make.SINCE)
        for model in (Implementation, Test):
            for row in model.objects.exclude(state="draft"):
                row.code = row.code if "def" in row.code or row == self.paper else CODE
                row.source_sha256 = source_hash(row.code)
                row.save()
        kept = {"function": self.crowd, "target": used, "author": self.owner, "code": TEST}
        self.acceptance = AcceptanceTest.objects.create(**kept, state="published")
        self.acceptance_draft = AcceptanceTest.objects.create(**kept)
        Item.objects.update(author=author)

    def _add_runs(self) -> None:
        topic, author = self.crowd.topic, self.author
        self.batch = make.batch(topic, self.execution, owner=author)
        waiting = [make.execution(verdict="", state=state) for state in (State.PENDING, 4, 5)]
        self.open_batch = make.batch(topic, waiting[0], owner=author)
        self.failed_batch = make.batch(topic, waiting[1], owner=author)
        own = make.batch("preview:1", owner=author, private=True)
        self.preview = Preview.objects.create(
            owner=author, function=self.crowd, change="publish", batch=own
        )

    def request(self, entry: Entry) -> HttpResponse:
        """Send the request in a transaction that is rolled back."""
        with transaction.atomic():
            if prepare := PREPARATIONS.get(entry.name):
                prepare(self)
            answer: HttpResponse = self._send(entry)
            connection.set_rollback(True)
        return answer

    def _send(self, entry: Entry) -> Any:
        client = Client(raise_request_exception=False)
        address = f"/{self._filled(entry)}{QUERIES.get(entry.name, '')}"
        body: Any = BODIES.get(entry.name, {})
        if entry.name in ("POST account_login", "POST tokens/"):
            name = "nobody" if self.role == "visitor" else self.actor.get_username()
            body = {"username": name, "password": PASSWORD}
        headers: dict[str, str] = {}
        if entry.route.startswith(API):
            if self.role != "visitor" and entry.name != "POST tokens/":
                headers["Authorization"] = f"Bearer {self.token}"
            sent, kind = json.dumps(body), "application/json"
        else:
            if self.role not in ("visitor", "agent"):
                client.force_login(self.actor)
            if self.role in ("member", "owner", "staff"):
                prove(client)
            sent, kind = urlencode(body, doseq=True), "application/x-www-form-urlencoded"
        sent = "" if entry.method == "GET" else sent
        return client.generic(entry.method, address, sent, kind, headers=headers)

    def _filled(self, entry: Entry) -> str:
        def number(part: re.Match[str]) -> str:
            special = NUMBERS.get(entry.name)
            row = getattr(self, special).pk if special else None
            return str(row or self.number_in(entry.route, part.start()))

        def word(part: re.Match[str]) -> str:
            if part[1] == "token" and entry.name.endswith("page-preview"):
                work = Implementation.objects.get(function__kind="page")
                return signing.dumps(work.pk, salt=SALT)
            if part[1] == "token" and entry.name.endswith("page-visit"):
                page = Function.objects.get(kind="page")
                guest, _ = User.objects.get_or_create(username="guest")
                return visit_url(page.name, guest).rstrip("/").rpartition("@")[2]
            if part[1] == "token":
                act = UNSUBSCRIBE if "unsubscribe" in entry.name else CONFIRM
                return link_of(self.digest, act).rstrip("/").rpartition("/")[2]
            if part[1] == "key" and entry.name.endswith("account_confirm_email"):
                return str(EmailConfirmationHMAC(self.address).key)
            return WORDS.get((entry.name, part[1])) or self.word_in(part[1], entry.route)

        return re.sub(r"<(?:\w+:)?(\w+)>", word, re.sub(r"<int:\w+>", number, entry.route))

    def followed(self, kind: str) -> tuple[Actor, str]:
        """Return whom a socket of this role acts for, and a topic of this kind."""
        topics = {
            "function": self.crowd.topic,
            "acceptance": f"acceptance:{self.acceptance.pk}",
            "collection": self.collection.topic,
            "draft": self.draft.draft_topic,
            "preview": f"preview:{self.preview.pk}",
            "user": f"user:{self.author.pk}",
            "view": self.view.topic,
        }
        is_nobody = self.role in ("visitor", "suspended")
        return (AnonymousUser() if is_nobody else self.actor), topics[kind]


def _each(value: Any, *names: str) -> dict[str, Any]:
    return dict.fromkeys(names, value)


# The object that an address is about, where it isn't the usual one of `Rows.number_in`.
NUMBERS = {
    **_each("draft", *(f"{verb} implementations/<int:id>/" for verb in ("PATCH", "PUT", "DELETE"))),
    **_each("draft", *(f"POST implementations/<int:id>/{act}/" for act in ("run", "publish"))),
    **_each("draft", "POST implementations/<int:id>/preview/"),
    **_each("test_draft", *(f"{verb} tests/<int:id>/" for verb in ("PATCH", "PUT", "DELETE"))),
    **_each(
        "test_draft", *(f"POST tests/<int:id>/{act}/" for act in ("run", "publish", "preview"))
    ),
    **_each("acceptance_draft", "GET edit-acceptance-test", "POST edit-acceptance-test"),
    **_each(
        "acceptance_draft",
        *(f"POST {act}-acceptance-test" for act in ("run", "publish", "discard")),
        *(f"{verb} acceptance-tests/<int:id>/" for verb in ("PATCH",)),
        "POST acceptance-tests/<int:id>/publish/",
    ),
    **_each("open_batch", "POST cancel-run", "POST batches/<int:id>/cancel/"),
    **_each("failed_batch", "POST retry-run", "POST batches/<int:id>/retry/"),
    **_each("hidden", "POST show-comment", "POST comments/<int:id>/show/"),
    **_each("own_token", "POST revoke-token", "DELETE tokens/<int:id>/"),
}
WORDS = {
    **{
        (name, "username"): "helper[agent]"
        for name in (
            *("POST renew-agent", "POST retire-agent"),
            *("POST agents/<username>/token/", "DELETE agents/<username>/"),
        )
    },
    ("POST functions/<name>/rename/", "name"): "Lone",
    **{
        (name, "username"): "suspect"
        for name in ("POST lift-suspension", "DELETE accounts/<username>/suspension/")
    },
    **{
        (name, "username"): "robot"
        for name in ("POST remove-agent-label", "DELETE accounts/<username>/agent-label/")
    },
}
QUERIES = {
    "GET topics/<topic>/events": "?after=0",
    "GET functions/<name>/releases/changes/": "?since=2100-01-01",
    **_each("?function=Crowd", "GET pylock", "GET locked-requirements"),
}
_WORK = {"code": CODE, "title": "Mine"}
_NEW_PASSWORD = {"password1": PASSWORD, "password2": PASSWORD}
_WEBHOOK = {"url": "https://crowd.example/hook", "subject": "dependencies"}
_REASON = {"reason": "It is spam."}
BODIES: dict[str, Any] = {
    "POST new-function": {"name": "Fresh"},
    "POST clone-function": {"name": "Fresh"},
    "POST new-document-view": {"name": "Fresh", "definition": json.dumps({"from": SOURCE})},
    "POST views/": {"name": "Fresh", "definition": {"from": SOURCE}},
    "POST edit-function": {"signature": "()", "description": "Changed"},
    "POST try-function": {"args": "1"},
    "POST new-document-template": {"name": "Fresh", "definition": '"$"'},
    "POST document-template": {"definition": '"$"'},
    "POST manage-function": {"act": "archive"},
    "POST answer-offer": {"answer": "accept"},
    "POST flag": _REASON,
    "POST resolve-flag": {"outcome": "upheld", "note": "Done."},
    "POST new-implementation": _WORK,
    "POST new-test": _WORK,
    "POST discussion": {"text": "Hello."},
    "POST comment": {"text": "Hello."},
    "POST edit-comment": {"text": "Hello."},
    "POST hide-comment": _REASON,
    "POST import": {"module": CODE.replace("Crowd", "Fresh"), "make": "1"},
    "POST webhooks": _WEBHOOK | {"events": "comment.added"},
    "POST webhook": {"url": _WEBHOOK["url"], "events": "comment.added"},
    "POST switch-webhook": {"active": "no"},
    "POST watch": {"watching": "yes"},
    "POST watch-person": {"watching": "yes"},
    "POST read-notifications": {"up_to": "1"},
    "POST digest": {"frequency": "weekly", "address": "me@example.org"},
    "POST draft": _WORK,
    "POST run-draft": _WORK,
    "POST check-draft": _WORK,
    "POST format-draft": _WORK,
    "POST publish-draft": _WORK,
    "POST preview-draft": _WORK,
    "POST vote": {"value": "1"},
    "POST judge": {"verdict": "accept"},
    "POST preview-judge": {"verdict": "reject"},
    "POST new-acceptance-test": {"target": "Used", "code": TEST},
    "POST edit-acceptance-test": {"code": TEST, "version": "1"},
    "POST run-acceptance-test": {"code": TEST},
    "POST publish-acceptance-test": {"code": TEST},
    "POST account_signup": {"username": "newcomer", **_NEW_PASSWORD},
    "POST account_reset_password": {"email": "me@example.org"},
    "POST account_change_password": {"oldpassword": PASSWORD, **_NEW_PASSWORD},
    "POST account_email": {"email": "me@example.org", "action_add": "1"},
    "POST account_reauthenticate": {"password": PASSWORD},
    "POST tokens": {"name": "mine", "scopes": "read"},
    "POST agents": {"name": "second", "scopes": "read"},
    "POST account-name": {"username": "newname"},
    "POST delete-account": {"work": "kept", "password": PASSWORD},
    "POST language": {"language": "de"},
    "POST suspensions": {"username": "somebody", "reason": "A test."},
    "POST agent-labels": {"username": "somebody", "reason": "A test."},
    "POST label-account": {"label": "yes"},
    "PUT accounts/<username>/agent-label/": _REASON,
    "POST edit-profile": {"about": "Me."},
    **_each(
        {"name": "Fresh", "lock": f"sc-crowd==1 --hash=sha256:{'0' * 64}"},
        *("POST canaries", "POST canary"),
    ),
    "POST clear-profile": _REASON,
    "POST functions/": {"name": "Fresh"},
    "POST functions/<name>/check/": {"test": TEST},
    **_each({"code": CODE}, "PUT implementations/<int:id>/", "PUT tests/<int:id>/"),
    "PUT documents/<name>/": {"crowd": 2},
    "PATCH documents/<name>/": {"crowd": 2},
    "POST document-templates/": {"name": "Fresh", "definition": "$"},
    "PUT document-templates/<name>/": {"definition": "$"},
    "POST document-templates/<name>/apply/": {"value": 1},
    "POST new-collection": {
        "name": "Fresh",
        "may_read": "everyone",
        "may_add": "owner",
        "may_change": "owner",
        "state": "open",
    },
    "POST change-collection": {
        "may_read": "everyone",
        "may_add": "owner",
        "may_change": "owner",
        "state": "open",
    },
    "POST new-item": {"value": "{}"},
    "POST collection-item": {"value": "{}", "version": "1"},
    "POST collections/": {"name": "Fresh"},
    "PATCH collections/<name>/": {"description": "Changed"},
    "POST collections/<name>/items/": {"name": "Bo"},
    "PUT collections/<name>/items/<int:id>/": {"name": "Bo"},
    "PATCH collections/<name>/items/<int:id>/": {"name": "Bo"},
    "POST functions/<name>/clone/": {"name": "Fresh"},
    "PATCH functions/<name>/": {"description": "Changed"},
    "POST functions/<name>/implementations/": _WORK,
    "POST functions/<name>/tests/": _WORK,
    "PATCH implementations/<int:id>/": _WORK,
    "PATCH tests/<int:id>/": _WORK,
    "POST acceptance-tests/": {"function": "Crowd", "target": "Used", "code": TEST},
    "PATCH acceptance-tests/<int:id>/": {"code": TEST},
    "POST implementations/<int:id>/preview/": {"change": "publish"},
    "POST tests/<int:id>/preview/": {"change": "publish"},
    "POST functions/<name>/preview/": {"change": "delete"},
    **{
        name: {"text": "Hello."}
        for name in (
            *(f"POST {on}/<int:id>/comments/" for on in ("implementations", "tests")),
            *("POST functions/<name>/comments/", "POST comments/<int:id>/replies/"),
            "PATCH comments/<int:id>/",
        )
    },
    "POST comments/<int:id>/hide/": _REASON,
    **{f"PUT {on}/<int:id>/vote/": {"value": 1} for on in ("implementations", "tests", "comments")},
    **{f"PUT {on}/<int:id>/verdict/": {"acceptable": True} for on in ("implementations", "tests")},
    **{f"POST {on}/<int:id>/flag/": _REASON for on in ("implementations", "tests", "comments")},
    "POST functions/<name>/flag/": _REASON,
    "POST people/<username>/flag/": _REASON,
    "POST people/<username>/clear/": _REASON,
    "POST imports/preview/": {"module": CODE.replace("Crowd", "Fresh")},
    "POST imports/": {"module": CODE.replace("Crowd", "Fresh")},
    "POST functions/<name>/rename/": {"name": "Fresh"},
    "PUT functions/<name>/offer/": {"to": "root"},
    "POST functions/<name>/transfer/": {"to": "root"},
    "POST staff/flags/<int:id>/resolve/": {"upheld": True, "note": "Done."},
    "PUT accounts/<username>/suspension/": _REASON,
    "PUT accounts/<username>/quotas/<resource>/": {"limit": 5, **_REASON},
    "POST quotas": {"username": "somebody", "resource": "cpu", "limit": "5", **_REASON},
    "POST webhooks/": _WEBHOOK,
    "PATCH webhooks/<int:id>/": {"active": False},
    "POST agents/": {"name": "second"},
    "POST notifications/read/": {"up_to": 1},
    "PUT notifications/digest/": {"frequency": "weekly", "address": "me@example.org"},
    "PUT watches/<name>/": {"watching": True},
    "PUT people/<username>/watch/": {"watching": True},
    "PUT profile/": {"about": "Me."},
    "POST canaries/": {"name": "Fresh", "releases": {"Crowd": 1}},
    "PUT canaries/<int:id>/": {"name": "Fresh", "releases": {"Crowd": 1}},
    "PUT account/username/": {"username": "newname", "password": PASSWORD},
    "POST account/deletion/": {"work": "kept", "password": PASSWORD},
}


def _archive(world: World) -> None:
    Function.objects.filter(pk=world.crowd.pk).update(archived_at=make.SINCE)


def _offer(world: World) -> None:
    """Offer the function to whom asks, or if it is theirs already, to another."""
    taker = world.actor if world.actor != world.owner else make.user("taker")
    Function.objects.filter(pk=world.crowd.pk).update(offered_to=taker)


PREPARATIONS: dict[str, Callable[[World], None]] = {
    "POST restore-document": lambda world: world.revise(0),
    "POST documents/<name>/versions/<int:number>/restore/": lambda world: world.revise(0),
    "POST functions/<name>/unarchive/": _archive,
    "POST functions/<name>/offer/accept/": _offer,
    "DELETE functions/<name>/offer/": _offer,
    "POST answer-offer": _offer,
}
