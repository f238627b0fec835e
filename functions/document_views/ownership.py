"""Creates, finds and deletes document views; who may read their sources may read them."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q

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

NEW = "new"  # the address of the form
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
    if name.lower() == NEW:
        raise Refusal("reserved_name", _("This name is reserved."), field="name")
    if len(json.dumps(definition)) > MAX_DEFINITION_LENGTH:
        text = _("A definition has at most %(most)s characters.") % {"most": MAX_DEFINITION_LENGTH}
        raise Refusal("too_long", text, field="definition")
    sides = parse_definition(definition).sides
    sources = [resolve_source(user, side.source) for side in sides]
    if DocumentView.objects.filter(owner=owner).count() >= MAX_VIEWS:
        text = _("You have %(most)s views; delete one first.") % {"most": MAX_VIEWS}
        raise Conflict("too_many_views", text)
    view = DocumentView(name=name, owner=owner, definition=definition, source=sources[0])
    view.written = json.dumps(definition, ensure_ascii=False)
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
    require_deletable(require_account(actor), view)
    forget_view(view)


def require_deletable(actor: Actor, view: DocumentView) -> None:
    """Refuse to delete others' views."""
    if not may_delete_view(actor, view):
        raise Forbidden("not_yours", _("Only its owner may delete this view."))


def forget_views_of(source: str) -> None:
    """Delete the views over a source that is deleted."""
    for view in DocumentView.objects.filter(Q(source=source) | Q(joined_source=source)):
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
    """Return whether the actor, or the person behind it, owns the view, or is staff."""
    if not isinstance(actor, User):
        return False
    return actor.is_staff or person_behind(actor).pk == view.owner_id
