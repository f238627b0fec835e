"""Exceptions: a refusal by the site is made of its problem details (RFC 9457)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class SocialCodeError(Exception):
    """Raised by this package; its text says what is wrong."""


class NotReachable(SocialCodeError):
    """The site didn't answer, or something else than a Social Code site did."""


class StillOpen(SocialCodeError):
    """A batch hasn't ended within the time that one wanted to wait."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One of the mistakes in a request; lines and columns are counted from 1."""

    field: str
    code: str
    message: str
    line: int | None = None
    column: int | None = None


class Problem(SocialCodeError):
    """A refusal; `code` is stable, sentences may change. `details` has all fields of the answer."""

    def __init__(self, status: int, details: Mapping[str, Any], retry_after: float | None) -> None:
        self.status = status
        self.details = dict(details)
        self.code = str(details.get("code") or "")
        self.detail = str(details.get("detail") or details.get("title") or f"Status {status}.")
        self.request_id = str(details.get("request_id") or "")
        self.retry_after = retry_after
        self.mistakes = [_mistake(each) for each in details.get("errors") or ()]
        super().__init__(self.detail)


class BadRequest(Problem):
    """400: the request has the wrong form."""


class NotSignedIn(Problem):
    """401: no token, or an invalid one, or an account that is suspended."""


class Forbidden(Problem):
    """403: somebody else's."""


class NotFound(Problem):
    """404: nothing there, or nothing that you may see."""


class Conflict(Problem):
    """409 and 412: in conflict with the present state."""


class TooLarge(Problem):
    """413."""


class Invalid(Problem):
    """422: refused by a rule."""


class CallFailed(Invalid):
    """422 `call_failed`: the function ran and failed."""

    @property
    def verdict(self) -> str:
        return str(self.details.get("verdict") or "")

    @property
    def log(self) -> list[dict[str, Any]]:
        return list(self.details.get("log") or ())


class TooOften(Problem):
    """429: wait `retry_after` seconds."""


class SiteFault(Problem):
    """500 to 599: the site is broken, away or busy."""


_BY_STATUS: Mapping[int, type[Problem]] = {
    400: BadRequest,
    401: NotSignedIn,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    413: TooLarge,
    422: Invalid,
    429: TooOften,
}


def problem_of(status: int, details: Mapping[str, Any], retry_after: float | None) -> Problem:
    """Return the exception of a refusal."""
    if details.get("code") == "call_failed":
        return CallFailed(status, details, retry_after)
    kind = _BY_STATUS.get(status, SiteFault if status >= 500 else Problem)
    return kind(status, details, retry_after)


def _mistake(entry: Mapping[str, Any]) -> Mistake:
    return Mistake(
        field=str(entry.get("field") or ""),
        code=str(entry.get("code") or ""),
        message=str(entry.get("message") or ""),
        line=entry.get("line"),
        column=entry.get("column"),
    )
