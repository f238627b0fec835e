"""The table of who may do what: each act by use case, by page and over the API."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.auth.models import User

from functions import acceptance, authoring, previews, runs
from functions.authoring.rename import rename_function
from functions.models import AcceptanceTest, Cell, FunctionRevision, Implementation, Test
from functions.moderation import acceptability, archive, comments, flags, ownership
from functions.notifications.watches import watch_function
from functions.voting.votes import cast_vote
from runner.registry import Actor
from runner.states import State
from socialcode.accounts.agents.labels import label_account
from socialcode.accounts.suspensions import lift_suspension, suspend
from tests.support import builders as make
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    draft_test,
    implement,
    publish_test,
)


class Scene:
    """Rows that acts are about, read anew at each use."""

    def __init__(self) -> None:
        self.people: dict[str, User] = {
            "author": account("ida"),
            "owner": account("olga"),
            "staff": account("root", is_staff=True),
            "stranger": account("eve"),
        }
        for name in ("otto", "sue"):
            account(name)
        add = define("Add")
        work = implement(add, constant("Add", 1))
        test = publish_test(add, "assert Add() == 1", author="ida")
        ida = self.people["author"]
        said = comments.write_comment(actor=ida, subject=add, text="Why?")
        hidden = comments.write_comment(actor=ida, subject=work, text="Buy this.")
        comments.hide_comment(actor=self.people["owner"], comment=hidden, reason="Advertising")
        ended, key = make.execution(), make.execution()
        Cell.objects.filter(implementation=work, test=test).update(key=key.key)
        make.batch(add.topic, key)
        free, offered, archived = define("Free"), define("Offered"), define("Archived")
        ownership.offer_function(actor=self.people["owner"], function=offered, to="otto")
        archive.archive_function(actor=self.people["owner"], function=archived)
        implement(define("Top"), "# <<Add>>\ndef Top():\n    return Add()\n", author="olga")
        suspend(actor=self.people["staff"], username="sue", reason="Spam")
        self.rows: dict[str, Any] = {
            "Add": add,
            "Offered": offered,
            "Archived": archived,
            "Free": free,
            "Top": type(add).objects.get(name="Top"),
            "revision": FunctionRevision.objects.get(function=add),
            "implementation": work,
            "test": test,
            "implementation_draft": draft_implementation(add, constant("Add", 2)),
            "test_draft": draft_test(add, "assert Add() == 2", author="ida"),
            "comment": said,
            "hidden": hidden,
            "flag": flags.flag_item(
                actor=account("otto"), kind="comment", item_id=said.pk, reason="x"
            ),
            "open": make.batch("function:1", make.execution(verdict=""), owner=ida),
            "ended": make.batch("function:1", ended, owner=ida),
            "given_up": make.batch(
                "function:1", make.execution(verdict="", state=State.IGNORED), owner=ida
            ),
            "result": key,
        }
        asked = acceptance.start_acceptance_test(
            actor=self.people["owner"], function=self["Top"], target="Add", code="assert Add()"
        )
        self.rows["asked"] = asked
        AcceptanceTest.objects.filter(pk=asked.pk).update(
            state="published", published_at=make.SINCE
        )

    def __getitem__(self, name: str) -> Any:
        row = self.rows[name]
        return type(row).objects.get(pk=row.pk)

    def path(self, pattern: str) -> str:
        """Fill in the keys of rows."""
        keys = {"key": bytes(self.rows["result"].key).hex()}
        return pattern.format(**keys, **{name: row.pk for name, row in self.rows.items()})


class Row(str):
    """The name of a row of the scene, which a use case is given."""

    __slots__ = ()


@dataclass(frozen=True)
class Act:
    """An act, and the answer to each of the roles: `ok` or a code."""

    name: str
    codes: str
    use: Callable[..., object]
    given: dict[str, Any]
    page: str  # its path, or nothing
    form: Any
    api: str  # its method and path, or nothing
    body: Any

    @property
    def answers(self) -> dict[str, str]:
        return dict(zip(ROLES, self.codes.split(), strict=True))

    def call(self, actor: Actor, scene: Scene) -> object:
        given = {
            name: scene[value] if isinstance(value, Row) else value
            for name, value in self.given.items()
        }
        return self.use(actor=actor, **given)


ROLES = ("author", "owner", "staff", "stranger")
EVERYBODY = "ok ok ok ok"
AUTHOR = "ok not_yours not_yours not_yours"
# Another user's draft does not exist for anybody else.
DRAFT = "ok not_found not_found not_found"
OWN_DRAFT = "own_work not_found not_found not_found"
PUBLISHED = "not_a_draft not_yours not_yours not_yours"
VOTER = "own_work ok ok ok"
MODERATOR = "not_yours ok ok not_yours"
# Who started a run, and authors, owners and staff of what it is about.
STEERER = "ok not_yours ok not_yours"
INVOLVED = "ok ok ok not_yours"
STAFF = "not_staff not_staff ok not_staff"
NO_OFFER = "no_offer no_offer no_offer no_offer"

REASON, TEXT, CODE = {"reason": "Spam."}, {"text": "Hello."}, {"code": "x = 1"}
DEFINITION = {"signature": "(a)", "description": "All of it."}
NEW = {"name": "New", **DEFINITION}
OTTO = {"to": "otto"}
SAVED = {**CODE, "version": "0"}
ADD, TOP, FREE = {"function": Row("Add")}, {"function": Row("Top")}, {"function": Row("Free")}
OFFERED, ARCHIVED = {"function": Row("Offered")}, {"function": Row("Archived")}
COMMENT, HIDDEN = {"comment": Row("comment")}, {"comment": Row("hidden")}
ASKED = {"target": "Add", "code": "assert Add()"}


# fmt: off
ON_FUNCTIONS = [
    Act("define", EVERYBODY, authoring.define_function, NEW,
        "/functions/new/", {**NEW, "kind": "function"}, "POST /functions/", NEW),
    Act("revise", MODERATOR, authoring.revise_function, ADD | DEFINITION,
        "/functions/Add/edit/", DEFINITION, "PATCH /functions/Add/", DEFINITION),
    Act("restore", MODERATOR, authoring.restore_revision, {**ADD, "revision": Row("revision")},
        "/functions/Add/revisions/{revision}/restore/", {},
        "POST /functions/Add/revisions/{revision}/restore/", None),
    Act("delete", MODERATOR, authoring.delete_function, FREE,
        "/functions/Free/delete/", {}, "DELETE /functions/Free/", None),
    Act("preview a deletion", MODERATOR, previews.preview_deletion, ADD,
        "/functions/Add/delete/preview/", {}, "POST /functions/Add/preview/", None),
    Act("rename", MODERATOR, rename_function, {**FREE, "name": "Plus"},
        "/functions/Free/manage/", {"act": "rename", "name": "Plus"},
        "POST /functions/Free/rename/", {"name": "Plus"}),
    Act("archive", MODERATOR, archive.archive_function, ADD | REASON,
        "/functions/Add/manage/", {"act": "archive", **REASON},
        "POST /functions/Add/archive/", REASON),
    Act("unarchive", MODERATOR, archive.unarchive_function, ARCHIVED,
        "/functions/Archived/manage/", {"act": "unarchive"},
        "POST /functions/Archived/unarchive/", {}),
    Act("offer", MODERATOR, ownership.offer_function, ADD | OTTO,
        "/functions/Add/manage/", {"act": "offer", **OTTO}, "PUT /functions/Add/offer/", OTTO),
    Act("end an offer", MODERATOR, ownership.end_offer, OFFERED,
        "/functions/Offered/manage/", {"act": "end-offer"},
        "DELETE /functions/Offered/offer/", None),
    Act("accept an offer", NO_OFFER, ownership.accept_function, OFFERED,
        "/functions/Offered/offer/", {"answer": "accept"},
        "POST /functions/Offered/offer/accept/", None),
    Act("transfer", STAFF, ownership.transfer_function, ADD | OTTO,
        "/functions/Add/manage/", {"act": "transfer", **OTTO},
        "POST /functions/Add/transfer/", OTTO),
    Act("watch", EVERYBODY, watch_function, {**ADD, "watching": True},
        "/functions/Add/watch/", {"watching": "yes"}, "PUT /watches/Add/", {"watching": True}),
    Act("run a function again", INVOLVED, runs.run_function_again, ADD,
        "/functions/Add/run-again/", {}, "POST /functions/Add/run-again/", None),
    Act("begin an acceptance test", MODERATOR, acceptance.start_acceptance_test, TOP | ASKED,
        "/functions/Top/acceptance-tests/new/", ASKED,
        "POST /acceptance-tests/", {"function": "Top", **ASKED}),
    Act("withdraw an acceptance test", MODERATOR, acceptance.withdraw_acceptance_test,
        {"test": Row("asked")}, "/acceptance-tests/{asked}/withdraw/", {},
        "POST /acceptance-tests/{asked}/withdraw/", None),
]


def on_works(model: type[Implementation | Test]) -> list[Act]:
    """Return the acts on drafts and published works of this kind."""
    noun = model.noun
    of, draft, work = f"/{noun}s", {"draft": Row(f"{noun}_draft")}, {"work": Row(noun)}
    desk, sent = f"/drafts/{noun}/{{{noun}_draft}}", f"/{noun}s/{{{noun}_draft}}"
    one = f"/{noun}s/{{{noun}}}"
    vote, reject = {"value": 1}, {"acceptable": False}
    return [
        Act(f"begin a {noun}", EVERYBODY, partial(authoring.start_draft, model=model), ADD | CODE,
            f"/functions/Add{of}/new/", CODE, f"POST /functions/Add{of}/", CODE),
        Act(f"save a {noun}", DRAFT, authoring.save_draft, draft | CODE,
            f"{desk}/", SAVED, f"PATCH {sent}/", CODE),
        Act(f"run a {noun}", DRAFT, authoring.run_draft, draft,
            f"{desk}/run/", SAVED, f"POST {sent}/run/", None),
        Act(f"publish a {noun}", DRAFT, authoring.publish, draft,
            f"{desk}/publish/", SAVED, f"POST {sent}/publish/", None),
        Act(f"discard a {noun}", DRAFT, authoring.discard_draft, draft,
            f"{desk}/discard/", {}, f"DELETE {sent}/", None),
        Act(f"preview a publication of a {noun}", DRAFT, previews.preview_publishing, draft,
            f"{desk}/preview/", SAVED, f"POST {sent}/preview/", {"change": "publish"}),
        Act(f"vote on a draft of a {noun}", OWN_DRAFT, cast_vote,
            {"work": draft["draft"], **vote}, f"{sent}/vote/", vote, f"PUT {sent}/vote/", vote),
        *(
            Act(f"{name} a published {noun}", PUBLISHED, use, {"draft": Row(noun), **given},
                "", {}, f"{method} {one}/{path}", given or None)
            for name, use, method, path, given in (
                ("save", authoring.save_draft, "PATCH", "", {"title": "changed"}),
                ("run", authoring.run_draft, "POST", "run/", {}),
                ("publish", authoring.publish, "POST", "publish/", {}),
                ("discard", authoring.discard_draft, "DELETE", "", {}),
            )
        ),
        Act(f"copy a {noun}", EVERYBODY, authoring.copy, work, f"{one}/copy/", {}, "", None),
        Act(f"vote on a {noun}", VOTER, cast_vote, work | vote,
            f"{one}/vote/", vote, f"PUT {one}/vote/", vote),
        Act(f"withdraw a {noun}", AUTHOR, authoring.withdraw, work,
            f"{one}/withdraw/", {}, f"POST {one}/withdraw/", None),
        Act(f"preview a withdrawal of a {noun}", AUTHOR, previews.preview_withdrawal, work,
            f"{one}/withdraw/preview/", {}, f"POST {one}/preview/", {"change": "withdraw"}),
        Act(f"judge a {noun}", MODERATOR, acceptability.judge_work, work | reject,
            f"{one}/judge/", {"verdict": "reject"}, f"PUT {one}/verdict/", reject),
        Act(f"preview a judgement of a {noun}", MODERATOR, previews.preview_judgement,
            {**work, "change": "reject"}, f"{one}/judge/preview/", {"verdict": "reject"},
            f"POST {one}/preview/", {"change": "reject"}),
        Act(f"comment on a {noun}", EVERYBODY, comments.write_comment,
            {"subject": Row(noun), **TEXT}, "", {}, f"POST {one}/comments/", TEXT),
        Act(f"flag a {noun}", EVERYBODY, flag, {"item": Row(noun), **REASON},
            f"/flags/{noun}/{{{noun}}}/", REASON, f"POST {one}/flag/", REASON),
    ]


def flag(*, actor: Actor, item: Any, reason: str) -> object:
    """Flag a row."""
    kind = item._meta.model_name
    return flags.flag_item(actor=actor, kind=kind, item_id=item.pk, reason=reason)


ON_COMMENTS = [
    Act("comment", EVERYBODY, comments.write_comment, {"subject": Row("Add"), **TEXT},
        "/functions/Add/discussion/", TEXT, "POST /functions/Add/comments/", TEXT),
    Act("reply", EVERYBODY, comments.reply_to, COMMENT | TEXT,
        "/comments/{comment}/", TEXT, "POST /comments/{comment}/replies/", TEXT),
    Act("edit a comment", AUTHOR, comments.edit_comment, COMMENT | TEXT,
        "/comments/{comment}/edit/", TEXT, "PATCH /comments/{comment}/", TEXT),
    Act("delete a comment", AUTHOR, comments.delete_comment, COMMENT,
        "/comments/{comment}/delete/", {}, "DELETE /comments/{comment}/", None),
    Act("hide a comment", MODERATOR, comments.hide_comment, COMMENT | REASON,
        "/comments/{comment}/hide/", REASON, "POST /comments/{comment}/hide/", REASON),
    Act("show a comment", MODERATOR, comments.unhide_comment, HIDDEN,
        "/comments/{hidden}/show/", {}, "POST /comments/{hidden}/show/", None),
    Act("vote on a comment", VOTER, cast_vote, {"work": Row("comment"), "value": 1},
        "/comments/{comment}/vote/", {"value": 1}, "PUT /comments/{comment}/vote/", {"value": 1}),
    Act("flag a comment", EVERYBODY, flag, {"item": Row("comment"), **REASON},
        "/flags/comment/{comment}/", REASON, "POST /comments/{comment}/flag/", REASON),
    Act("flag a function", EVERYBODY, flag, {"item": Row("Add"), **REASON},
        "/flags/function/{Add}/", REASON, "POST /functions/Add/flag/", REASON),
]

ON_RUNS = [
    Act("cancel", STEERER, runs.cancel_run, {"batch": Row("open")},
        "/runs/{open}/cancel/", {}, "POST /batches/{open}/cancel/", None),
    Act("retry", STEERER, runs.retry_run, {"batch": Row("given_up")},
        "/runs/{given_up}/retry/", {}, "POST /batches/{given_up}/retry/", None),
    Act("run again", STEERER, runs.repeat_run, {"batch": Row("ended")},
        "/runs/{ended}/run-again/", {}, "POST /batches/{ended}/run-again/", None),
    Act("run a program again", INVOLVED,
        lambda actor, result: runs.repeat_result(actor=actor, key=bytes(result.key)),
        {"result": Row("result")},
        "/results/{key}/run-again/", {}, "POST /results/{key}/run-again/", None),
]

OF_STAFF = [
    Act("resolve a flag", STAFF, flags.resolve_flag,
        {"flag": Row("flag"), "is_upheld": False, "note": "no"},
        "/staff/flags/{flag}/", {"outcome": "dismissed", "note": "no"},
        "POST /staff/flags/{flag}/resolve/", {"upheld": False, "note": "no"}),
    Act("suspend", STAFF, suspend, {"username": "otto", **REASON},
        "/staff/suspended/", {"username": "otto", **REASON},
        "PUT /accounts/otto/suspension/", REASON),
    Act("lift a suspension", STAFF, lift_suspension, {"username": "sue"},
        "/staff/suspended/sue/lift/", {}, "DELETE /accounts/sue/suspension/", None),
    Act("label as an agent", STAFF, label_account, {"username": "otto", **REASON},
        "/staff/agents/", {"username": "otto", **REASON},
        "PUT /accounts/otto/agent-label/", REASON),
]
# fmt: on

ACTS = [
    *ON_FUNCTIONS,
    *on_works(Implementation),
    *on_works(Test),
    *ON_COMMENTS,
    *ON_RUNS,
    *OF_STAFF,
]
