"""Endpoints of stored templates, which map one JSON document to another."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Router, Schema, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import ListQuery, OptionalText, Text, read_nothing
from functions.api.problems import refusals
from functions.api.schemas import Answer, Username
from functions.document_templates.templates import (
    apply_template,
    create_template,
    delete_template,
    replace_template,
)
from functions.errors import Refusal
from functions.json_data.values import check_value
from functions.models import DocumentTemplate
from functions.read_models.document_templates import TemplateList, list_templates, template_named
from functions.read_models.documents import document_or_404, read_document
from functions.read_models.not_found import or_404

router = Router(tags=["documents"])


class TemplateDefinition(Schema):
    """The application of templates to documents."""

    definition: Any = Field(description="JSON; the documentation explains the language")
    description: Text = ""


class NewTemplate(TemplateDefinition):
    """A new template."""

    name: str


class TemplateInput(Schema):
    """The input of a template: a value, or a current document with its links expanded."""

    value: Any = Field(None, description="any JSON")
    document: OptionalText = Field(None, description="a document's name")


class TemplateShort(Answer):
    """A template in a list."""

    name: str
    description: str
    owner: Username
    created_at: datetime
    changed_at: datetime


class TemplateShown(TemplateShort):
    """A template with its definition."""

    definition: Any = Field(validation_alias="definition_value")


class TemplatesShown(Answer):
    """A page of templates; `next` is the cursor of the next page."""

    items: list[TemplateShort] = Field(validation_alias="rows")
    next: str | None


class TemplateOutput(Answer):
    """The output of a template."""

    value: Any


@router.get("/", response={200: TemplatesShown, **refusals(400, 404)}, summary="List templates")
def list_all(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    query: Query[ListQuery],
) -> TemplateList:
    """Return templates of documents by name."""
    return list_templates(**query.model_dump())


@router.post(
    "/",
    auth=SOMEBODY,
    response={201: TemplateShown, **refusals(400, 401, 403, 409, 413, 422, 429)},
    summary="Create a template",
)
def create(request: HttpRequest, payload: NewTemplate) -> Status[DocumentTemplate]:
    """Store a template under a name, which is unique without regard to case."""
    return Status(201, create_template(actor=request.user, **payload.model_dump()))


@router.get("/{name}/", response={200: TemplateShown, **refusals(404)}, summary="Read a template")
def read(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
) -> DocumentTemplate:
    """Return a template with its definition."""
    return _template_or_404(name)


@router.put(
    "/{name}/",
    auth=SOMEBODY,
    response={200: TemplateShown, **refusals(400, 401, 403, 404, 413, 422, 429)},
    summary="Replace a template",
)
def replace(request: HttpRequest, name: str, payload: TemplateDefinition) -> DocumentTemplate:
    """Replace a template's definition and description, as its owner or staff."""
    template = _template_or_404(name)
    return replace_template(actor=request.user, template=template, **payload.model_dump())


@router.delete(
    "/{name}/",
    auth=SOMEBODY,
    response={204: None, **refusals(400, 401, 403, 404, 413, 429)},
    summary="Delete a template",
)
def delete(request: HttpRequest, name: str) -> Status[None]:
    """Delete a template, as its owner or staff."""
    read_nothing(request)
    delete_template(actor=request.user, template=_template_or_404(name))
    return Status(204, None)


@router.post(
    "/{name}/apply/",
    auth=SOMEBODY,
    response={200: TemplateOutput, **refusals(400, 401, 404, 413, 422, 429)},
    summary="Apply a template",
)
def apply(request: HttpRequest, name: str, payload: TemplateInput) -> dict[str, Any]:  # noqa: ARG001 - the same for all
    """Return what a template makes of a value or a document. Nothing is stored."""
    return {"value": apply_template(_template_or_404(name), _input(payload))}


def _input(payload: TemplateInput) -> Any:
    """Return what to apply a template to. Raises a Refusal if that isn't one thing."""
    sent = payload.model_fields_set
    if len(sent) != 1:
        message = _('Send what to apply it to: {"value": ...} or {"document": "Name"}.')
        raise Refusal("no_value", message, field="value")
    if payload.document is not None:
        return read_document(document_or_404(payload.document), is_expanded=True).value
    return check_value(payload.value, field="value")


def _template_or_404(name: str) -> DocumentTemplate:
    return or_404(template_named(name))
