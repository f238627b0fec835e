"""Refusals: what a rule forbids, said so that whoever asked can put it right."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong: in which field, and where in it; line and column count from 1.

    `excerpt` shows the line with a caret below the place.
    """

    field: str
    code: str
    message: str
    line: int | None = None
    column: int | None = None
    excerpt: str = ""


class Refusal(Exception):
    """A rule says no; `errors` has everything that is wrong, this exception the first of it."""

    status = 422
    # When it may be worth trying again; None: not for waiting alone.
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
    """This actor may not do it."""

    status = 403


class NotFound(Refusal):
    """There is no such thing, or none that this actor may see."""

    status = 404


class Conflict(Refusal):
    """It can't be done any more, or not yet, as things stand."""

    status = 409


class EditConflict(Conflict):
    """What is being edited was saved elsewhere since."""

    def __init__(self) -> None:
        super().__init__(
            "edit_conflict",
            "This draft was saved in another window meanwhile. Nothing was overwritten: "
            "compare the two, then save again.",
            field="version",
        )


class TooOften(Refusal):
    """It may be done again, but not so soon."""

    status = 429

    def __init__(self, message: str, *, retry_after_seconds: int) -> None:
        super().__init__("too_many_requests", message)
        self.retry_after_seconds = retry_after_seconds


class Unavailable(Refusal):
    """What it takes isn't there just now."""

    status = 503
    retry_after_seconds = 1


class TooLarge(Refusal):
    """More than is taken."""

    status = 413


def refuse_all(complaints: Sequence[Complaint]) -> None:
    """Raise one refusal for all of these, if there are any."""
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
    """Return what is said alike of what is not there, and of what is somebody else's alone."""
    return NotFound("not_found", f"There is no such {noun}.")
