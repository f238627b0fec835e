"""Creates, replaces, deletes and applies stored templates."""

from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.audit import record_act
from functions.errors import Conflict, Refusal, no_such
from functions.json_data.mapping import parse_mapping
from functions.json_data.values import pretty
from functions.models import AuditEntry, DocumentTemplate
from functions.names import MAX_NAME_LENGTH, is_identifier, name_key
from functions.permissions import person_behind, require_account, require_template_owner
from functions.source.validation import check_text
from runner.registry import Actor

MAX_OF_AN_OWNER = 200
_PAGES = {"new"}  # addresses of pages, where templates' names stand
_KIND = "template"


def create_template(
    *, actor: Actor, name: str, definition: Any, description: str = ""
) -> DocumentTemplate:
    """Store a template. If the actor is an agent, its person owns it.

    Raises a Refusal if the name is taken in any spelling, or the definition is wrong.
    """
    owner = person_behind(require_account(actor))
    _check_name(name)
    text = _checked(definition, description)
    if DocumentTemplate.objects.filter(owner=owner).count() >= MAX_OF_AN_OWNER:
        message = _("You have %(limit)s templates, as many as one may; delete one first.")
        raise Conflict("too_many_templates", message % {"limit": MAX_OF_AN_OWNER})
    try:
        with transaction.atomic():
            return DocumentTemplate.objects.create(
                name=name,
                name_key=name_key(name),
                definition=text,
                description=description,
                owner=owner,
            )
    except IntegrityError as error:
        taken = DocumentTemplate.objects.filter(name_key=name_key(name)).first()
        if taken is None:
            raise
        message = _("There is a template %(name)s already; names are case-insensitive.")
        raise Conflict("name_taken", message % {"name": taken.name}, field="name") from error


@transaction.atomic
def replace_template(
    *, actor: Actor, template: DocumentTemplate, definition: Any, description: str
) -> DocumentTemplate:
    """Replace the definition and description, as the owner or staff."""
    user = require_template_owner(actor, template)
    text = _checked(definition, description)
    locked = _locked(template)
    locked.definition, locked.description = text, description
    locked.changed_at = timezone.now()
    locked.save(update_fields=["definition", "description", "changed_at"])
    _record(user, AuditEntry.Act.TEMPLATE_CHANGED, locked)
    return locked


@transaction.atomic
def delete_template(*, actor: Actor, template: DocumentTemplate) -> None:
    """Delete a template, as its owner or staff."""
    user = require_template_owner(actor, template)
    locked = _locked(template)
    _record(user, AuditEntry.Act.TEMPLATE_DELETED, locked)
    locked.delete()


def apply_template(template: DocumentTemplate, value: Any) -> Any:
    """Return what the template makes of a valid value. Raises a Refusal if they don't fit."""
    return parse_mapping(template.definition_value).apply(value)


def _check_name(name: str) -> None:
    if not is_identifier(name):
        message = _(
            "A name consists of letters of the English alphabet, digits and underscores, and "
            "begins with a letter; at most %(limit)s characters."
        )
        raise Refusal("invalid_name", message % {"limit": MAX_NAME_LENGTH}, field="name")
    if name_key(name) in _PAGES:
        message = _("“%(name)s” is the address of a page; choose another name.")
        raise Refusal("reserved_name", message % {"name": name}, field="name")


def _checked(definition: Any, description: str) -> str:
    """Return the definition's text. Raises a Refusal if anything is wrong."""
    check_text(description, field="description", longest=DocumentTemplate.MAX_DESCRIPTION)
    parse_mapping(definition)
    return pretty(definition)


def _record(user: User, act: AuditEntry.Act, template: DocumentTemplate) -> None:
    """Record what staff does to others' templates."""
    if person_behind(user).pk != template.owner_id:
        person, number = template.owner, template.pk
        record_act(user, act, person=person, kind=_KIND, item_id=number, label=template.name)


def _locked(template: DocumentTemplate) -> DocumentTemplate:
    rows = DocumentTemplate.objects.select_related("owner").select_for_update(of=("self",))
    locked = rows.filter(pk=template.pk).first()
    if locked is None:
        raise no_such("template")
    return locked
