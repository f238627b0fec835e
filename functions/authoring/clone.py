"""Clones functions: defines one like another under a name of its own."""

from django.contrib.auth.models import User
from django.db import transaction

from functions.authoring.definitions import define_function
from functions.authoring.drafts import MAX_TITLE_LENGTH, start_draft
from functions.authoring.publication import publish
from functions.errors import Refusal, TooOften, Unavailable
from functions.kinds import kind_of_work
from functions.models import Function, Implementation, Test, Work
from functions.people.quotas import DRAFTS, FUNCTIONS, charge
from functions.permissions import require_account
from runner.quotas import unlimited
from runner.registry import Actor

MAX_WORKS = 40  # of each kind; the best ones


def clone_function(*, actor: Actor, original: Function, name: str) -> Function:
    """Define a function like the original, with its tests and implementations.

    All of it belongs to the actor; titles name the originals and their authors. Works that can't be
    published now stay drafts, as after a crash.
    """
    owner = require_account(actor)
    function, drafts = _define(owner, original, name)
    for draft in drafts:
        try:
            publish(actor=owner, draft=draft)
        except (TooOften, Unavailable):
            break
        except Refusal:
            continue
    return function


@transaction.atomic
def _define(
    owner: User, original: Function, name: str
) -> tuple[Function, list[Implementation | Test]]:
    """Define the function and start its drafts, tests first."""
    chosen = _choose_works(original)
    charge(owner, {FUNCTIONS: 1, DRAFTS: len(chosen)})
    with unlimited():
        function = define_function(
            actor=owner,
            name=name,
            signature=original.signature,
            description=original.description.replace(f"<<{original.name}>>", f"<<{name}>>"),
            kind=original.kind,
            language=original.language,
        )
        function.cloned_from = original
        function.save(update_fields=["cloned_from"])
        return function, [_start_draft(owner, work, original, function) for work in chosen]


def _choose_works(original: Function) -> list[Implementation | Test]:
    published = {"function": original, "state": Work.State.PUBLISHED}
    tests = Test.objects.select_related("author").filter(**published, counts=True)
    works = Implementation.objects.select_related("author").filter(**published)
    # The current one last: of equals, the newest is elected.
    return [
        *sorted(tests.order_by("-score", "-number")[:MAX_WORKS], key=lambda test: test.number or 0),
        *sorted(
            works.exclude(acceptable=False).order_by("-score", "-number")[:MAX_WORKS],
            key=lambda work: (work.pk == original.elected_id, work.score, work.number or 0),
        ),
    ]


def _start_draft(
    owner: User, work: Implementation | Test, original: Function, function: Function
) -> Implementation | Test:
    origin = f"from {original.name} {work} by {work.author.get_username()}"
    title = f"{work.title[: MAX_TITLE_LENGTH - len(origin) - 3]} ({origin})".strip()
    return start_draft(
        actor=owner,
        function=function,
        model=type(work),
        code=kind_of_work(work).change_name(work.code, original.name, function.name),
        language=work.language,
        title=title[:MAX_TITLE_LENGTH],
    )
