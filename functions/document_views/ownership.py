"""Creates, finds and deletes document views; who may read their sources may read them."""

import json
from typing import Any

from django.db import IntegrityError, transaction

from functions.document_views.build import enqueue_build
from functions.document_views.definition import parse_definition
from functions.document_views.sources import may_read, resolve_source
from functions.errors import Conflict, Forbidden, NotFound, Refusal
from functions.errors import gettext as _
from functions.models import (
    DocumentView,
    DocumentViewChange,
    DocumentViewEntry,
    DocumentViewGroup,
    DocumentViewRank,
)
from functions.names import MAX_NAME_LENGTH, is_identifier
from functions.permissions import person_behind, require_account
from runner.registry import Actor

MAX_VIEWS = 100  # of one owner
MAX_DEFINITION_LENGTH = 10_000


@transaction.atomic
def create_view(*, actor: Actor, name: str, definition: Any) -> DocumentView:
    """Create a view of sources that the actor may read; it is filled after the transaction."""
    user = require_account(actor)
    owner = person_behind(user)
    if not is_identifier(name):
        text = _(
            "A name has at most %(most)s letters, digits and underscores, and begins with a letter."
        )
        text = text % {"most": MAX_NAME_LENGTH}
        raise Refusal("invalid_name", text, field="name")
    if len(json.dumps(definition)) > MAX_DEFINITION_LENGTH:
        text = _("A definition has at most %(most)s characters.") % {"most": MAX_DEFINITION_LENGTH}
        raise Refusal("too_long", text, field="definition")
    sides = parse_definition(definition).sides
    sources = [resolve_source(user, side.source) for side in sides]
    if DocumentView.objects.filter(owner=owner).count() >= MAX_VIEWS:
        text = _("You have %(most)s views; delete one first.") % {"most": MAX_VIEWS}
        raise Conflict("too_many_views", text)
    view = DocumentView(name=name, owner=owner, definition=definition, source=sources[0])
    view.joined_source = sources[1] if sources[1:] else ""
    try:
        with transaction.atomic():
            view.save()
    except IntegrityError as error:
        text = _("There is a view of this name already.")
        raise Conflict("name_taken", text, field="name") from error
    enqueue_build(view)
    return view


@transaction.atomic
def delete_view(*, actor: Actor, view: DocumentView) -> None:
    """Delete a view with its groups; changes that arrive for it later are removed then."""
    user = require_account(actor)
    if not may_delete_view(user, view):
        raise Forbidden("not_yours", _("Only its owner may delete this view."))
    forget_view(view)


def forget_view(view: DocumentView) -> None:
    """Delete a view with its groups."""
    for rows in (DocumentViewChange, DocumentViewEntry, DocumentViewRank, DocumentViewGroup):
        rows.objects.filter(view=view.pk).delete()
    view.delete()


def find_view(actor: Actor, name: str) -> DocumentView:
    """Return the view of this name; not found if the actor may not read it."""
    view = DocumentView.objects.filter(name__iexact=name).select_related("owner").first()
    if view is None or not may_read_view(actor, view):
        raise NotFound("not_found", _("There is no such view."))
    return view


def may_read_view(actor: Actor, view: DocumentView) -> bool:
    """Return whether the actor may read all of the view's sources."""
    sources = filter(None, (view.source, view.joined_source))
    return all(may_read(actor, source) for source in sources)


def may_delete_view(actor: Actor, view: DocumentView) -> bool:
    """Return whether the actor owns the view or is staff."""
    return actor.is_authenticated and (actor.pk == view.owner_id or _is_staff(actor))


def _is_staff(actor: Actor) -> bool:
    return bool(getattr(actor, "is_staff", False))
