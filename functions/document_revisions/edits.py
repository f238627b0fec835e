"""Changes documents: revisions by the author of the current one, competing works by others."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from functions.authoring import publish, start_draft
from functions.document_revisions.etags import etag_of, require_match
from functions.document_revisions.proposals import propose_revision
from functions.document_revisions.versions import hash_of, version_value
from functions.document_revisions.write_back import NOTHING, LinkedPatch, split_patch
from functions.errors import Conflict, Forbidden, NotFound, Outdated, Refusal
from functions.graph.queries import living_functions
from functions.json_data.merge import merge
from functions.json_data.values import pretty
from functions.kinds.document_source import parse_document
from functions.locks import find_and_lock_functions
from functions.models import Document, DocumentRevision, Function, Implementation
from functions.names import name_key
from functions.permissions import require_account
from runner.models import Batch
from runner.registry import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The result of a change: a revision, or a work that competes with the current one."""

    function: Function
    work: Implementation
    state: str  # pending, published or draft
    batch_id: int | None = None
    revision: DocumentRevision | None = None


def current_document(function: Function) -> Implementation:
    """Return the current document's work. Raises NotFound if there is none."""
    found = Implementation.objects.select_related("function", "author")
    work = found.filter(pk=function.elected_id).first() if function.elected_id else None
    if work is None:
        message = _("No document is current under the name %(name)s.")
        raise NotFound("no_document", message % {"name": function.name})
    return work


def put_document(
    *,
    actor: Actor,
    function: Function,
    code: str,
    tags: frozenset[str] = frozenset(),
    is_published: bool = True,
) -> list[Edit]:
    """Replace the document by another, of which this is the text.

    `tags` are those that the client has read, if it wants to change no other.
    """
    user = require_account(actor)
    if function.elected_id is None:
        return [_compete(user, function, None, code, is_published=is_published)]
    work = current_document(function)
    base = _check_tags(work, tags)
    change = _Change(function, work, code=code, base=base if tags else b"")
    return [_make(user, change, is_published=is_published)]


def patch_document(
    *,
    actor: Actor,
    function: Function,
    patch: Any,
    tags: frozenset[str] = frozenset(),
    is_published: bool = True,
) -> list[Edit]:
    """Change the document by a merge patch, and the documents whose embedded copies it changes."""
    user = require_account(actor)
    _check_tags(current_document(function), tags)
    plan = _Plan(user)
    plan.add(function, patch)
    with transaction.atomic():
        find_and_lock_functions(plan.changes)
        return [_make(user, one, is_published=is_published) for one in plan.in_order()]


def revise_document(*, actor: Actor, function: Function, patch: Any, base: bytes) -> Edit:
    """Merge a patch into the current document, which is the actor's, but not into what it links.

    Raises Outdated unless the hash of its module is `base`.
    """
    user = require_account(actor)
    work = current_document(function)
    if work.author_id != user.pk:
        raise _not_the_author(function.name, work)
    if bytes(work.source_sha256) != base:
        raise Outdated
    value = parse_document(work.code)
    own, linked = split_patch(value, patch)
    if linked:
        message = _("%(path)s is part of %(name)s; change it there.")
        place = {"path": linked[0].path or "$", "name": linked[0].name}
        raise Refusal("linked_document", message % place, field="patch")
    code = work.code if own is NOTHING else _text(merge(value, own, field="patch"))
    return _pending(
        function, work, propose_revision(editor=user, work=work, code=code, base=hash_of(value))
    )


def restore_version(*, actor: Actor, function: Function, number: int) -> Edit:
    """Bring a former version of the current document back, by a revision of its author."""
    user = require_account(actor)
    work = current_document(function)
    if work.author_id != user.pk:
        raise _not_the_author(function.name, work)
    code = _text(version_value(work, number))
    revision = propose_revision(editor=user, work=work, code=code, restores=number)
    return _pending(function, work, revision)


@dataclass(slots=True)
class _Change:
    function: Function
    work: Implementation
    code: str
    base: bytes


@dataclass(slots=True)
class _Plan:
    """The documents that a patch changes, by function."""

    user: User
    changes: dict[int, _Change] = field(default_factory=dict)

    def add(self, function: Function, patch: Any, behind: LinkedPatch | None = None) -> None:
        """Add a patch of a document, and what it changes behind links, at any depth.

        `behind` is the link through which the document is changed, if there is one.
        """
        work = current_document(function)
        value = parse_document(work.code)
        own, linked = split_patch(value, patch)
        if own is not NOTHING:
            if behind is not None and work.author_id != self.user.pk:
                raise _not_the_source(work, behind)
            former = self.changes.get(function.pk)
            merged = merge(parse_document(former.code) if former else value, own, field="value")
            self.changes[function.pk] = _Change(function, work, _text(merged), hash_of(value))
        for one in linked:
            self.add(_source_of(one), one.patch, one)

    def in_order(self) -> Iterator[_Change]:
        """Return the changes in the order in which functions are locked."""
        return (change for _pk, change in sorted(self.changes.items()))


def _make(user: User, change: _Change, *, is_published: bool) -> Edit:
    if change.work.author_id != user.pk:
        return _compete(user, change.function, change.work, change.code, is_published=is_published)
    revision = propose_revision(editor=user, work=change.work, code=change.code, base=change.base)
    return _pending(change.function, change.work, revision)


@transaction.atomic
def _compete(
    user: User, function: Function, work: Implementation | None, code: str, *, is_published: bool
) -> Edit:
    """Write a work of the user's own, and publish it if that is wanted."""
    draft = start_draft(
        actor=user, function=function, model=Implementation, code=code, based_on=work
    )
    if not is_published:
        return Edit(function=function, work=draft, state="draft")
    batch: Batch = publish(actor=user, draft=draft)
    return Edit(function=function, work=draft, state="published", batch_id=batch.pk)


def _pending(function: Function, work: Implementation, revision: DocumentRevision) -> Edit:
    return Edit(
        function=function,
        work=work,
        state="pending",
        batch_id=revision.batch_id,
        revision=revision,
    )


def _check_tags(work: Implementation, tags: frozenset[str]) -> bytes:
    """Refuse another document than the client has read; return the hash of this one."""
    value = parse_document(work.code)
    row = Document.objects.filter(function=work.function_id, implementation=work).first()
    require_match(tags, etag_of(value), *([etag_of(value, row.expanded)] if row else []))
    return hash_of(value)


def _text(value: Any) -> str:
    return pretty(value) + "\n"


def _not_the_author(name: str, work: Implementation) -> Forbidden:
    message = _("The current document of %(name)s is %(author)s's; only they may revise it.")
    names = {"name": name, "author": work.author.get_username()}
    return Forbidden("not_yours", message % names)


def _source_of(linked: LinkedPatch) -> Function:
    """Return the document behind a link. Raises Conflict if none is current."""
    key = name_key(linked.name)
    function = living_functions([key]).get(key)
    if function is None or function.elected_id is None:
        message = _("%(path)s links %(name)s, which has no current document to change.")
        names = {"path": linked.path or "$", "name": linked.name}
        raise Conflict("link_missing", message % names, field=linked.path)
    return function


def _not_the_source(work: Implementation, linked: LinkedPatch) -> Forbidden:
    message = _(
        "%(path)s is part of %(name)s, whose current document is %(author)s's; only they may "
        "change it. Write a competing document of %(name)s, or replace the link."
    )
    author = work.author.get_username()
    names = {"path": linked.path or "$", "name": linked.name, "author": author}
    return Forbidden("not_your_source", message % names, field=linked.path)
