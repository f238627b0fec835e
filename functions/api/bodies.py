"""Schemas of request bodies: strict JSON, with texts that PostgreSQL can store."""

import json
from typing import Annotated, Any, NoReturn

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Header, Schema
from ninja.errors import HttpError
from ninja.parser import Parser
from pydantic import AfterValidator, BeforeValidator, Field, StrictInt
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from functions.errors import Refusal
from functions.source.validation import check_text

UNSTORABLE = "invalid_character"
LONGEST_REQUEST_KEY = 100
MOST_ROWS = 100


class StrictParser(Parser):
    """A strict parser of JSON objects in UTF-8."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        text = request.body.decode("utf-8")
        body = json.loads(text, parse_constant=_refuse_constant)
        if not isinstance(body, dict):
            raise TypeError(_("a JSON object is expected, {...}"))
        return body


def read_nothing(request: HttpRequest) -> None:
    """Raise HttpError 400 if a request that needs no body has an invalid one."""
    if not request.body:
        return
    try:
        StrictParser().parse_body(request)
    except (ValueError, TypeError, RecursionError) as error:
        raise HttpError(400, _("Cannot parse request body")) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(_("%(name)s is not JSON") % {"name": name})


def _storable(value: Any) -> Any:
    """Refuse NUL and lone surrogates; the error has their position."""
    if isinstance(value, str):
        try:
            check_text(value, field="")
        except Refusal as refusal:
            place = {"line": refusal.line, "column": refusal.column}
            message = refusal.message.replace("{", "{{").replace("}", "}}")
            raise PydanticCustomError(UNSTORABLE, message, place) from refusal
    return value


def _refuse_null(value: Any) -> Any:
    if value is None:
        message = _("Null is not a text; omit the field to keep its value")
        raise PydanticCustomError("null", message)
    return value


Text = Annotated[str, BeforeValidator(_storable)]
# An optional text: None if omitted; an explicit null is refused.
OptionalText = Annotated[Text | SkipJsonSchema[None], BeforeValidator(_refuse_null)]
RequestKey = Annotated[
    str,
    Header(
        "",
        alias="Idempotency-Key",
        max_length=LONGEST_REQUEST_KEY,
        description="A repeated request with the same key returns the same batch.",
    ),
]

Cursor = Annotated[Text, Field(description="`next` of the previous page")]
Limit = Annotated[
    int,
    Field(ge=1, description="at most 100 are returned"),
    AfterValidator(lambda limit: min(limit, MOST_ROWS)),
]


class ListQuery(Schema):
    """A page of a list."""

    cursor: Cursor = ""
    limit: Limit = 50


class FunctionDefinition(Schema):
    """A new function."""

    name: str  # not Text: the check of names gives better errors
    signature: Text = ""
    description: Text = Field("", description="Markdown.")
    kind: Text = "function"
    language: Text = "python"


class DefinitionChange(Schema):
    """Changes to a definition; omitted fields are kept."""

    signature: OptionalText = None
    description: OptionalText = None


class NewWork(Schema):
    """A new draft of an implementation or a test."""

    code: Text
    title: Text = ""
    language: Text = Field("python", description="python or javascript.")
    based_on: StrictInt | None = Field(None, description="The id of the original of a copy.")


class WorkChange(Schema):
    """Changes to a draft; omitted fields are kept."""

    code: OptionalText = None
    title: OptionalText = None
    version: StrictInt | None = Field(
        None, description="The version that you edited; refused if there is a newer one."
    )


class WorkReplacement(Schema):
    """The new content of a draft."""

    code: Text
    title: Text = ""
    version: StrictInt | None = Field(
        None, description="The version that you edited; refused if there is a newer one."
    )


class VoteCast(Schema):
    """A vote: 1, 0 (removes it) or -1."""

    value: StrictInt
