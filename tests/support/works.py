"""Writing code as people do: through the use cases, in one call each."""

from django.contrib.auth.models import User

from functions.authoring import define_function, publish, start_draft
from functions.models import Function, Implementation, Test
from functions.voting.votes import cast_vote
from runner.pipelines.materialized_views import joiner
from tests.patience import PATIENCE_SECONDS


def account(name: str, *, is_staff: bool = False) -> User:
    """Return the account of this name."""
    return User.objects.get_or_create(username=name, defaults={"is_staff": is_staff})[0]


def define(
    name: str, *, owner: str = "olga", signature: str = "(*args)", kind: str = "function"
) -> Function:
    """Define a function."""
    signature = signature if kind == "function" else ""
    return define_function(actor=account(owner), name=name, kind=kind, signature=signature)


def draft_implementation(
    function: Function, code: str, *, author: str = "ida", title: str = ""
) -> Implementation:
    """Begin an implementation."""
    return start_draft(
        actor=account(author), function=function, model=Implementation, code=code, title=title
    )


def draft_test(function: Function, code: str, *, author: str = "") -> Test:
    """Begin a test; without an author, as the function's owner."""
    name = author or Function.objects.values_list("owner__username", flat=True).get(pk=function.pk)
    return start_draft(actor=account(name), function=function, model=Test, code=code)


def implement(function: Function, code: str, *, author: str = "ida") -> Implementation:
    """Write an implementation and publish it."""
    draft = draft_implementation(function, code, author=author)
    publish(actor=draft.author, draft=draft)
    draft.refresh_from_db()
    return draft


def publish_test(function: Function, code: str, *, author: str = "") -> Test:
    """Write a test and publish it; without an author, as the function's owner."""
    draft = draft_test(function, code, author=author)
    publish(actor=draft.author, draft=draft)
    draft.refresh_from_db()
    return draft


def vote(work: Implementation | Test, *, up: str = "", down: str = "") -> int:
    """Have these accounts, their names apart by blanks, vote; returns the score."""
    for name in up.split():
        cast_vote(actor=account(name), work=work, value=1)
    for name in down.split():
        cast_vote(actor=account(name), work=work, value=-1)
    joiner.wait_idle(PATIENCE_SECONDS)
    work.refresh_from_db()
    return work.score


def constant(name: str, value: object) -> str:
    """Return code that defines a function of this name that returns a constant."""
    return f"def {name}(*args):\n    return {value!r}\n"
