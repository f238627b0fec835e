"""Refusals: violations of rules, with messages that help users to fix them, in their language.

Pure modules, which also run without Django, translate with the functions here.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from runner.errors import QuotaExceeded


class Translations(Protocol):
    """The functions that translate messages, as `django.utils.translation` has them."""

    def gettext(self, message: str) -> str: ...
    def ngettext(self, singular: str, plural: str, number: int) -> str: ...


# The one in use is last; without any, as in confined processes, messages stay English.
_translations: list[Translations] = []


def translate_with(translations: Translations) -> None:
    """Translate messages with these from now on."""
    _translations.append(translations)


def gettext(message: str) -> str:
    """Return the message in the reader's language."""
    return _translations[-1].gettext(message) if _translations else message


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the message for this number in the reader's language."""
    if _translations:
        return _translations[-1].ngettext(singular, plural, number)
    return singular if number == 1 else plural


_ = gettext


@dataclass(frozen=True, slots=True)
class Complaint:
    """A problem in a field; line and column start at 1.

    `excerpt` shows the line with a caret below the position.
    """

    field: str
    code: str
    message: str
    line: int | None = None
    column: int | None = None
    excerpt: str = ""


class Refusal(Exception):
    """A violation of a rule; `errors` has all problems, the other attributes are of the first."""

    status = 422
    # None: a retry would fail again.
    retry_after_seconds: int | None = None

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str = "",
        line: int | None = None,
        column: int | None = None,
        errors: Sequence[Complaint] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.line = line
        self.column = column
        self.errors = list(errors) or [Complaint(field, code, message, line, column)]


class Forbidden(Refusal):
    """The actor lacks the permission."""

    status = 403


class NotFound(Refusal):
    """The object doesn't exist, or the actor may not see it."""

    status = 404


class Conflict(Refusal):
    """The action conflicts with the current state."""

    status = 409


class EditConflict(Conflict):
    """The draft was saved elsewhere after it was opened."""

    def __init__(self) -> None:
        super().__init__(
            "edit_conflict",
            _(
                "This draft was saved in another window in the meantime. Nothing was overwritten. "
                "Compare the two versions, then save again."
            ),
            field="version",
        )


class Outdated(Conflict):
    """There is another version than the one that the client has seen."""

    status = 412

    def __init__(self) -> None:
        message = _(
            "This was changed in the meantime; nothing was overwritten. Read it again, and repeat "
            "your change with its new version."
        )
        super().__init__("precondition_failed", message, field="version")


def require_expected(expected: Collection[str] | None, present: str) -> None:
    """Raise Outdated if a client expects other versions than the present one; None: any."""
    if expected is not None and present not in expected:
        raise Outdated


class TooOften(Refusal):
    """A rate limit is exceeded."""

    status = 429

    def __init__(
        self, message: str, *, retry_after_seconds: int, code: str = "too_many_requests"
    ) -> None:
        super().__init__(code, message)
        self.retry_after_seconds = retry_after_seconds


class Unavailable(Refusal):
    """A needed service is unavailable or busy."""

    status = 503
    retry_after_seconds = 1


class TooLarge(Refusal):
    """The input is too large."""

    status = 413


@contextmanager
def refusing_over_quota() -> Iterator[None]:
    """Refuse what the machinery's quotas don't allow."""
    try:
        yield
    except QuotaExceeded as error:
        seconds = error.retry_after_seconds
        raise TooOften(str(error), retry_after_seconds=seconds, code=error.code) from error


def refuse_all(complaints: Sequence[Complaint]) -> None:
    """Raise one refusal with all these complaints, if there are any."""
    if complaints:
        first = complaints[0]
        raise Refusal(
            first.code,
            first.message,
            field=first.field,
            line=first.line,
            column=first.column,
            errors=complaints,
        )


def no_such(noun: str) -> NotFound:
    """Return the error for objects that don't exist or are hidden from the actor."""
    sentences = {
        "implementation": _("There is no such implementation."),
        "test": _("There is no such test."),
        "acceptance test": _("There is no such acceptance test."),
        "comment": _("There is no such comment."),
        "result": _("There is no such result."),
        "template": _("There is no such template."),
        "webhook": _("There is no such webhook."),
        "delivery": _("There is no such delivery, or it is not kept any more."),
        "user": _("There is no such user."),
        "agent": _("You have no agent of this name."),
        "token": _("You have no such token."),
        "collection": _("There is no such collection."),
        "item": _("There is no such item."),
        "project": _("There is no such project."),
        "preview": _("There is no such preview."),
        "canary": _("You have registered no such project."),
    }
    return NotFound("not_found", sentences[noun])


def not_published(noun: str, state: str) -> Conflict:
    """Return the error for drafts and withdrawn works where a published one is needed."""
    sentences = {
        ("implementation", "draft"): _("This implementation is draft, not published."),
        ("implementation", "withdrawn"): _("This implementation is withdrawn, not published."),
        ("test", "draft"): _("This test is draft, not published."),
        ("test", "withdrawn"): _("This test is withdrawn, not published."),
    }
    return Conflict("not_published", sentences[noun, state])
