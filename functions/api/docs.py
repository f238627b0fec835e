"""The API's documentation, rendered from its OpenAPI description."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from ninja import NinjaAPI
from ninja.openapi.docs import DocsBase

from functions.api.examples import examples
from functions.api.problems import CODES, RULES, Problem

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter or field; `form` is the name of its object schema, or empty."""

    name: str
    type: str
    form: str
    note: str
    required: bool
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A possible response of an operation."""

    status: str
    type: str
    form: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A request and its answer, as texts; empty if it has no content."""

    address: str
    body: str
    status: int
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A method of a path."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    group: str
    needs_somebody: bool
    scope: str  # that a token needs
    parameters: tuple[Field, ...]
    body: str  # the form's name
    answers: tuple[Answer, ...]
    failures: tuple[str, ...]  # statuses of problems
    example: Example | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """An object schema."""

    name: str
    description: str
    fields: tuple[Field, ...]


class Docs(DocsBase):
    """Documentation page without scripts and without resources from other hosts."""

    def render_page(self, request: HttpRequest, api: NinjaAPI, **kwargs: Any) -> HttpResponse:
        schema = api.get_openapi_schema(path_params=kwargs)
        context = {
            "info": schema["info"],
            "schema_url": self.get_openapi_url(api, kwargs),
            "operations": tuple(operations(schema)),
            "forms": tuple(forms(schema)),
            "statuses": [(status, code, said) for status, (code, said) in CODES.items()],
            "rules": RULES,
        }
        return render(request, "api/docs.html", context)


def operations(schema: dict[str, Any]) -> Iterator[Operation]:
    """Yield the operations of an OpenAPI description, in order."""
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                yield _operation(path, method, methods[method])


def forms(schema: dict[str, Any]) -> Iterator[Form]:
    """Yield the object schemas of an OpenAPI description, by name."""
    for name, form in sorted(schema["components"]["schemas"].items()):
        required = form.get("required", ())
        yield Form(
            name=name,
            description=with_code(form.get("description", "")),
            fields=tuple(
                _field(field, spec, required=field in required)
                for field, spec in form.get("properties", {}).items()
            ),
        )


def _operation(path: str, method: str, spec: dict[str, Any]) -> Operation:
    body = spec.get("requestBody", {}).get("content", {}).get("application/json", {})
    answers = [_answer(status, one) for status, one in spec["responses"].items()]
    return Operation(
        id=spec["operationId"],
        method=method.upper(),
        path=path,
        summary=spec["summary"],
        description=with_code(spec.get("description", "")),
        group=next(iter(spec.get("tags", ())), ""),
        needs_somebody=bool(spec.get("security")),
        scope=spec.get("x-scope", ""),
        parameters=tuple(
            _field(
                one["name"],
                {"description": one.get("description", ""), **one["schema"]},
                required=one["required"],
                place=one["in"],
            )
            for one in spec.get("parameters", ())
        ),
        body=form_of(body.get("schema", {})),
        answers=tuple(one for one in answers if one.form != Problem.__name__),
        failures=tuple(one.status for one in answers if one.form == Problem.__name__),
        example=_example(f"{method.upper()} {path.partition('/api/v1/')[2]}"),
    )


def _example(name: str) -> Example | None:
    found = examples().get(name)
    if found is None:
        return None
    texts = {
        part: json.dumps(found[part], indent=2, ensure_ascii=False) if part in found else ""
        for part in ("body", "answer")
    }
    return Example(address=found["address"], status=found["status"], **texts)


def _answer(status: int | str, spec: dict[str, Any]) -> Answer:
    contents: dict[str, Any] = spec.get("content", {})
    content: dict[str, Any] = next((one["schema"] for one in contents.values()), {})
    return Answer(status=str(status), type=type_of(content), form=form_of(content))


def _field(name: str, spec: dict[str, Any], *, required: bool, place: str = "") -> Field:
    return Field(
        name=name,
        type=type_of(spec),
        form=form_of(spec),
        note=with_code(spec.get("description", "")),
        required=required,
        place=place,
    )


def with_code(text: str) -> str:
    """Return the text as HTML, with backticks as code."""
    parts = enumerate(text.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", part) if n % 2 else part,) for n, part in parts)
    )


def type_of(spec: dict[str, Any]) -> str:
    """Return the type of a JSON schema in words."""
    if "anyOf" in spec:
        return " or ".join(type_of(one) for one in spec["anyOf"])
    if "enum" in spec:
        return " or ".join(str(one) or "nothing" for one in spec["enum"])
    if "$ref" in spec:
        return form_of(spec)
    if spec.get("type") == "array":
        return f"list of {type_of(spec['items'])}"
    if spec.get("format") == "date-time":
        return "instant"
    return str(spec.get("type", "anything"))


def form_of(spec: dict[str, Any]) -> str:
    """Return the name of the object schema that a JSON schema refers to, directly or in parts."""
    if "$ref" in spec:
        return str(spec["$ref"]).rsplit("/", 1)[-1]
    parts = [*spec.get("anyOf", ()), *([spec["items"]] if "items" in spec else ())]
    return next(filter(None, map(form_of, parts)), "")
