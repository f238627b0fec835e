"""Responses to rate-limited requests: a page that keeps all typed text, or JSON for scripts."""

from dataclasses import dataclass
from typing import cast

from django.core.files import File
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from functions.errors import TooOften
from functions.views.responses import refusal_json, wants_json

STATUS = 429
TOKEN = "csrfmiddlewaretoken"  # noqa: S105 - a field's name
FILE_SUFFIX = "_file"  # an uploaded text goes to the field without the suffix
LARGEST_FILE_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Field:
    """A submitted form field."""

    name: str
    value: str

    @property
    def label(self) -> str:
        """The name as a text: the label that most forms give the field."""
        return _(self.name.replace("_", " ").capitalize())

    @property
    def is_secret(self) -> bool:
        """Whether the value must be typed again, and not be put into the page."""
        return "password" in self.name

    @property
    def is_text(self) -> bool:
        """Whether it is typed text, which the page shows for copying."""
        return len(self.value.split()) > 1


def refuse_too_often(request: HttpRequest, refusal: TooOften) -> HttpResponse:
    """Return the response; the page has a form to submit the same data again."""
    answer: HttpResponse
    if wants_json(request):
        answer = refusal_json(refusal)
    else:
        context = {"refusal": refusal, "fields": _fields(request)}
        answer = render(request, "too_often.html", context, status=STATUS)
    answer["Retry-After"] = str(refusal.retry_after_seconds)
    answer._has_been_logged = True  # type: ignore[attr-defined]  # noqa: SLF001 - keeps a flood out of Django's log
    answer["Cache-Control"] = "no-store"
    return answer


def _fields(request: HttpRequest) -> list[Field]:
    sent: dict[str, list[str]] = {
        name: values for name, values in request.POST.lists() if name != TOKEN
    }
    for name in request.FILES:
        file = cast("File[bytes]", request.FILES[name])
        if file:
            text = file.read(LARGEST_FILE_BYTES).decode("utf-8-sig", "replace")
            sent[name.removesuffix(FILE_SUFFIX)] = [text]
    return [Field(name, value) for name, values in sent.items() for value in values]
