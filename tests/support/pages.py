"""All pages of the site, found from its addresses, and rows for them to show."""

import re
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.urls import URLPattern, URLResolver, get_resolver

from functions.models import (
    AcceptanceTest,
    AuditEntry,
    Canary,
    Collection,
    Comment,
    Document,
    DocumentRevision,
    DocumentTemplate,
    DocumentViewGroup,
    Election,
    Flag,
    Function,
    FunctionRevision,
    Implementation,
    Item,
    LockedRelease,
    Notice,
    Notification,
    PersonWatch,
    Preview,
    Profile,
    Release,
    ReleaseFile,
    Vote,
    VoteChange,
    Watch,
    Webhook,
    WebhookDelivery,
)
from runner.models import Task
from runner.states import State
from tests.support import builders as make
from tests.support.records import SOURCE, make_view

NOT_OURS = ("staff/", "django-rq/")  # pages of Django's and of django-rq's
# Beside the addresses themselves: what else they show when asked.
MORE = (
    *("/functions/Missing0/", "/functions/Crowd/?open=I1", "/?status=needs_help", "/?sort=used"),
    *("/?sort=changed", "/?q=crowd", "/?q=author:reader", "/?q=uses:Crowd", "/?q=used-by:Crowd"),
    *("/?q=needs:tests", "/?q=code:number", "/runs/?owner=reader", "/runs/?function=Crowd"),
    *("/people/reader/?show=tests", "/people/reader/?show=current"),
    *("/votes/?show=history", "/api/v1/votes/history/"),
    *("/functions/Paper/", "/documents/?crowd__gt=1&order=-crowd", "/documents/?limit=none"),
    *("/api/v1/functions/?q=uses:Crowd", "/api/v1/people/reader/activity/?show=functions"),
)


class Rows:
    """Rows for all pages to show; `grow` adds more of each kind."""

    def __init__(self, reader: User) -> None:
        self.reader = reader
        self.crowd = make.function("Crowd", owner=reader)
        self.draft = make.implementation(self.crowd, author=reader, state="draft")
        self.work = make.implementation(self.crowd, author=reader)
        self.test = make.test_of(self.crowd, author=reader)
        self.execution = make.execution()
        self.batch = make.batch(self.crowd.topic, self.execution, owner=reader)
        make.attempt(self.execution, 1, "recorded", at=self.batch.created_at)
        self.comment = self._say("first")
        self.revision = FunctionRevision.objects.create(function=self.crowd, editor=reader)
        self.preview = Preview.objects.create(
            owner=reader, function=self.crowd, change="delete", batch=make.batch("preview:1")
        )
        self.acceptance = self._accept()
        self.flag = self._flag(make.user())
        self.profile = Profile.objects.create(user=reader, about="Said", links=["https://reader"])
        self.template = self._store("Crowd")
        self.collection = Collection.objects.create(
            name="Crowd", name_key="crowd", owner=reader, item_count=1, item_bytes=20
        )
        self.item = self._collect({"user": "first"})
        self.paper = self._write_paper()
        poster = make.function("Paper1000", owner=reader, kind="page")
        make.elect(make.implementation(poster, author=reader, code="<h1>Crowd</h1>"))
        self.view = make_view({"from": SOURCE, "group_by": "a"}, name="Crowd", owner=reader)
        self.webhook = self._hook(self.crowd)
        self.delivery = self._deliver(0)
        self.names = 0
        self._release(1)
        self.canary = self._lock("Crowd")

    def _lock(self, name: str) -> Canary:
        canary = Canary.objects.create(owner=self.reader, name=name)
        locked = Release.objects.get(name="Crowd", number=1)
        LockedRelease.objects.create(canary=canary, name_key="crowd", release=locked)
        return canary

    def _release(self, number: int) -> None:
        release = Release.objects.create(
            function=self.crowd,
            name="Crowd",
            name_key="crowd",
            number=number,
            implementation=self.work,
            source_sha256=bytes(32),
            digest=bytes(32),
        )
        ReleaseFile.objects.create(
            release=release,
            filename=f"sc_crowd-{number}-py3-none-any.whl",
            sha256="0" * 64,
            size=1,
            content=b"1",
            metadata="Name: sc-crowd",
            metadata_sha256="1" * 64,
        )

    def _hook(self, function: Function) -> Webhook:
        return Webhook.objects.create(
            owner=self.reader,
            url="https://crowd.example/hook",
            host="crowd.example:443",
            subject="function",
            function=function,
            events=["comment.added"],
            secret="whsec_Y3Jvd2Q=",
        )

    def _deliver(self, nth: int) -> WebhookDelivery:
        return WebhookDelivery.objects.create(
            webhook=self.webhook,
            host=self.webhook.host,
            event="comment.added",
            key=f"comment/{nth}",
            payload={"cause": "Crowd"},
            actor=self.reader,
            state="failed",
            error="Crowd",
        )

    def _collect(self, value: Any) -> Item:
        return Item.objects.create(
            collection=self.collection, author=self.reader, value=value, bytes=20
        )

    def _accept(self) -> AcceptanceTest:
        return AcceptanceTest.objects.create(
            function=self.crowd, target=make.function(), author=self.reader, state="published"
        )

    def _flag(self, flagger: User) -> Flag:
        return Flag.objects.create(
            flagger=flagger,
            kind="implementation",
            item_id=self.work.pk,
            function=self.crowd,
            reason="spam",
        )

    def _write_paper(self) -> Implementation:
        paper = make.function("Paper", owner=self.reader, kind="document")
        work = make.implementation(paper, author=self.reader, code='{"crowd": 1}')
        make.elect(work)
        value = {"crowd": 1}
        kept = {"value": value, "expanded": value, "size": 12, "depth": 1}
        Document.objects.create(function=paper, implementation=work, **kept)
        return work

    def revise(self, former: int = 1) -> None:
        fields = {"implementation": self.paper, "editor": self.reader, "sha256": bytes(32)}
        number = DocumentRevision.objects.filter(state="shown").count() + 2
        steps = (("test", former), ("replace", 1))
        delta = [{"op": op, "path": "/crowd", "value": value} for op, value in steps]
        DocumentRevision.objects.create(state="shown", number=number, delta=delta, **fields)
        reason = {"reason": "Said", "failing": self.test}
        DocumentRevision.objects.create(state="refused", **reason, **fields)

    def _store(self, name: str) -> DocumentTemplate:
        return DocumentTemplate.objects.create(
            name=name, name_key=name.lower(), definition='"$"', owner=self.reader
        )

    def _say(self, text: str, **fields: Any) -> Comment:
        return Comment.objects.create(
            function=self.crowd, author=fields.pop("author", self.reader), text=text, **fields
        )

    def grow(self, count: int) -> None:
        for _ in range(count):
            self._grow()

    def _grow(self) -> None:
        reader, crowd, nth = self.reader, self.crowd, self.names
        make.document(f"Paper{nth}", f'{{"a": {{"key": "Used{nth}", "transform": "Crowd"}}}}')
        self.names += 1
        work = make.implementation(crowd, author=reader, based_on=self.work)
        test = make.test_of(crowd, author=make.user(), code="# number of crowd")
        make.cell(work, test, "failed")
        waiting = make.execution(verdict="", state=State.PENDING)
        make.cell(work, make.test_of(crowd, author=reader), key=bytes(waiting.key), given_up=True)
        make.cell(make.implementation(crowd), None, "passed")
        used = make.function(f"Used{nth}", owner=reader)
        make.elect(make.implementation(used, author=reader))
        make.dependency(work, used.name, used)
        make.dependency(work, f"Missing{nth}", None)
        user = make.function(f"User{nth}", untested=False, description="Of the crowd.")
        make.dependency(make.implementation(user), "Crowd", crowd)
        make.dependency(make.test_of(user), "Missing0", None)
        make.implementation(crowd, author=reader, state="draft")
        make.test_of(crowd, author=reader, state="draft")
        again = make.execution(verdict="failed")
        make.attempt(again, 1, "failed", at=self.batch.created_at, error="broke")
        make.batch(crowd.topic, again, waiting, owner=reader, parent=self.batch)
        Task.objects.create(batch=self.batch, execution=waiting, state=State.PENDING)
        make.elect(work)

        Collection.objects.create(name=f"Used{nth}", name_key=f"used{nth}", owner=make.user())
        self._collect({"user": "Another", "user2": [nth], "user3": {"user": 1}})
        DocumentViewGroup.objects.create(
            view=self.view, key=str(nth), count=1, sums={}, result={"n": 1}
        )
        make_view({"from": SOURCE}, name=f"Used{nth}", owner=make.user())
        self._say("*Again* <<Crowd>>", author=make.user(), parent=self.comment)
        self._say("On a work", author=make.user(), implementation=self.work)
        self._say("Another", author=make.user())
        FunctionRevision.objects.create(function=crowd, editor=reader, description=str(nth))
        Election.objects.create(function=crowd, elected=work, cause="a vote", origin=used)
        self._accept()
        self._store(f"Used{nth}")
        self._release(nth + 2)
        self._lock(f"Used{nth}")
        self._hook(used)
        self._deliver(nth + 1)
        self.revise()
        self._flag(make.user())
        AuditEntry.objects.create(actor=reader, act="deleted", function=used, person=make.user())
        Watch.objects.create(function=used, user=reader)
        PersonWatch.objects.create(person=make.user(), user=reader)
        vote = Vote.objects.create(voter=reader, test=make.test_of(crowd), value=1)
        VoteChange.objects.create(voter=reader, vote=vote, former=-1, value=1)
        said = self._say("Voted", author=make.user())
        Vote.objects.create(voter=reader, comment=said, value=-1)
        notice = Notice.objects.create(function=used, kind="comment", actor=reader, text="Said")
        Notification.objects.create(notice=notice, user=reader)

    def number_in(self, route: str, at: int) -> int:
        """Return what a row's number there in an address stands for, by what it is preceded by."""
        task = Task.objects.filter(batch=self.batch).order_by("id").values_list("pk", flat=True)
        numbers = {
            "runs": self.batch.pk,
            "batches": self.batch.pk,
            "tasks": task[0],
            "<noun:noun>": self.draft.pk,
            "<noun:noun>s": self.work.pk,
            "<votable:noun>s": self.work.pk,
            "implementations": self.work.pk,
            "tests": self.test.pk,
            "comments": self.comment.pk,
            "previews": self.preview.pk,
            "revisions": self.revision.pk,
            "acceptance-tests": self.acceptance.pk,
            "flags": self.flag.pk,
            "items": self.item.pk,
            "canaries": self.canary.pk,
            "<str:kind>": self.work.pk,
            "webhooks": self.webhook.pk,
            "deliveries": self.delivery.pk,
            "versions": 1,
            "tokens": 0,
            "passkeys": 0,
        }
        return numbers[route[:at].rstrip("/").rpartition("/")[2]]  # a new one belongs here

    def word_in(self, name: str, route: str) -> str:
        """Return what a word of an address stands for."""
        if name == "name" and ("/versions/" in route or "/documents/" in route):
            return "Paper"
        if route.startswith("p/") and name == "path":
            return ""
        if (
            route.startswith("p/") or route.endswith(("/open/", "/application/"))
        ) and name == "name":
            return "Paper1000"
        if route.startswith("simple/") and name == "filename":
            return "sc_crowd-1-py3-none-any.whl"
        words = {
            "name": "Crowd",
            "project": "sc-crowd",
            "username": self.reader.username,
            "noun": "implementation",
            "key": bytes(self.execution.key).hex(),  # of a mail: one that is no longer valid
            "other": bytes(self.execution.key).hex(),
            "filename": "Crowd.py",
            "kind": "implementation",
            "token": "none",
            "resource": "cpu",
            "page": "guide",
            "path": "guide/",
            "code": "de",
            "topic": self.crowd.topic,
            "uidb36": "1",
            "provider_id": "none",
        }
        return words[name]  # a new one belongs here


def routes(
    patterns: list[URLPattern | URLResolver] | None = None, prefix: str = ""
) -> Iterator[str]:
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if route.startswith(NOT_OURS):
            continue
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


def addresses(rows: Rows) -> list[str]:
    def fill(route: str) -> str:
        number = r"<int:\w+>"
        route = re.sub(number, lambda part: str(rows.number_in(route, part.start())), route)
        return re.sub(r"<(?:\w+:)?(\w+)>", lambda part: rows.word_in(part[1], route), route)

    return [*(f"/{fill(route)}" for route in routes()), *MORE]
