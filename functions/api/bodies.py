"""Schemas of request bodies: strict JSON, with texts that can be stored."""

import json
from typing import Annotated, Any, NoReturn

from django.http import HttpRequest
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
            raise TypeError("a JSON object is expected, {...}")
        return body


def read_nothing(request: HttpRequest) -> None:
    """Refuse an invalid body of a request that needs none, as it is probably a mistake."""
    if not request.body:
        return
    try:
        StrictParser().parse_body(request)
    except (ValueError, TypeError, RecursionError) as error:
        raise HttpError(400, "Cannot parse request body") from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _storable(value: Any) -> Any:
    """Refuse NUL and lone surrogates, with their position."""
    if isinstance(value, str):
        try:
            check_text(value, field="")
        except Refusal as refusal:
            place = {"line": refusal.line, "column": refusal.column}
            said = refusal.message.replace("{", "{{").replace("}", "}}")
            raise PydanticCustomError(UNSTORABLE, said, place) from refusal
    return value


def _refuse_null(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("null", "Null is no text; leave out what is to stay")
    return value


Text = Annotated[str, BeforeValidator(_storable)]
# An optional text: None if left out, but null can't be sent.
OptionalText = Annotated[Text | SkipJsonSchema[None], BeforeValidator(_refuse_null)]
RequestKey = Annotated[
    str,
    Header(
        "",
        alias="Idempotency-Key",
        max_length=LONGEST_REQUEST_KEY,
        description="Sent again with the same key, the request gives the same batch.",
    ),
]

Cursor = Annotated[Text, Field(description="`next` of the page before")]
Limit = Annotated[
    int,
    Field(ge=1, description="at most 100 are given"),
    AfterValidator(lambda limit: min(limit, MOST_ROWS)),
]


class ListQuery(Schema):
    """Which page of a list."""

    cursor: Cursor = ""
    limit: Limit = 50


class FunctionDefinition(Schema):
    """A new function."""

    name: str  # the rule about names says more than the one about texts
    signature: Text = ""
    description: Text = Field("", description="Markdown.")
    kind: Text = "function"
    language: Text = "python"


class DefinitionChange(Schema):
    """What is to change in a definition; what is left out stays."""

    signature: OptionalText = None
    description: OptionalText = None


class NewWork(Schema):
    """A new draft of an implementation or a test."""

    code: Text
    title: Text = ""
    based_on: StrictInt | None = Field(None, description="The id of what it was copied from.")


class WorkChange(Schema):
    """What is to change in a draft; what is left out stays."""

    code: OptionalText = None
    title: OptionalText = None
    version: StrictInt | None = Field(
        None, description="The version that the change was made to; refused if another is newer."
    )


class VoteCast(Schema):
    """A vote: 1, 0 (taken back) or -1."""

    value: StrictInt


class Credentials(Schema):
    """Who asks for a token."""

    username: Text
    password: Text
    name: Text = Field("", max_length=80, description="What the token is for.")
