"""Requests over HTTP, repeated where that does no harm, with refusals as exceptions."""

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import httpx2

from socialcode_client.errors import NotReachable, Problem, problem_of

# The site, or what stands before it, is away or busy; nothing was done.
_LATER = frozenset({429, 502, 503, 504})
_SERVER_FAULT = 500


class Repeat(Enum):
    """The time at which a request may be sent again."""

    ALWAYS = auto()  # it changes nothing, or the same again
    IF_REFUSED = auto()  # only if it surely did nothing


@dataclass(frozen=True, slots=True)
class Patience:
    """The number of attempts and their times, in seconds."""

    tries: int = 4
    first_pause: float = 0.5
    longest_pause: float = 30.0
    connect: float = 10.0
    answer: float = 60.0
    sleep: Callable[[float], None] = field(default=time.sleep)


class Transport:
    """Sends requests to one site."""

    def __init__(
        self,
        address: str,
        token: str | None,
        *,
        patience: Patience,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self.address = address.rstrip("/")
        self._patience = patience
        self._random = random.SystemRandom()
        headers = {"User-Agent": f"socialcode-client/{own_version()}"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx2.Client(
            base_url=self.address,
            headers=headers,
            timeout=httpx2.Timeout(patience.answer, connect=patience.connect),
            transport=transport,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        repeat: Repeat = Repeat.IF_REFUSED,
    ) -> httpx2.Response:
        """Send a request, with `body` as JSON; return the answer. Raises Problem, NotReachable."""
        sent = {**(headers or {}), "Accept": "application/json"}
        content = None
        if body is not None:
            content = json.dumps(body, allow_nan=False).encode()
            sent["Content-Type"] = "application/json"
        request = self._http.build_request(
            method, path, params=dict(query or {}), content=content, headers=sent
        )
        for tried in range(1, self._patience.tries + 1):
            pause = self._pause(tried)
            is_last = tried == self._patience.tries
            try:
                response = self._http.send(request)
            except httpx2.ConnectError as error:  # nothing was sent
                if is_last:
                    raise self._not_reachable(error) from error
            except httpx2.TransportError as error:
                if is_last or repeat is not Repeat.ALWAYS:
                    raise self._not_reachable(error) from error
            else:
                if response.is_success or response.status_code == httpx2.codes.NOT_MODIFIED:
                    return response
                problem = self._problem(response)
                if is_last or not self._may_repeat(problem, repeat):
                    raise problem
                pause = problem.retry_after if problem.retry_after is not None else pause
            self._patience.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _may_repeat(self, problem: Problem, repeat: Repeat) -> bool:
        if problem.status not in _LATER:
            return False
        # A proxy that got no answer can't tell whether there was a change.
        is_sure = problem.status in (429, 503)
        if repeat is not Repeat.ALWAYS and not is_sure:
            return False
        return (problem.retry_after or 0) <= self._patience.longest_pause

    def _pause(self, tried: int) -> float:
        """Return a random time, so that clients of a restarted site don't all come back at once."""
        bound = self._patience.first_pause * 2 ** (tried - 1)
        return self._random.uniform(bound / 2, min(bound, self._patience.longest_pause))

    def _problem(self, response: httpx2.Response) -> Problem:
        """Return the refusal. Raises NotReachable if a Social Code site would not answer so."""
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if kind == "application/problem+json":
            details = response.json()
        elif response.status_code >= _SERVER_FAULT or response.status_code in _LATER:
            details = {"detail": f"{self.address} answers {response.status_code}."}
        elif response.is_redirect:
            target = response.headers.get("Location", "")
            raise NotReachable(f"{self.address} refers to {target}; use that address.")
        elif kind == "text/plain":
            code, _, sentence = response.text.strip().removeprefix("# ").partition(": ")
            details = {"code": code, "detail": sentence} if sentence else {"detail": code}
        else:
            details = {"detail": f"{response.request.url} answers {response.status_code}."}
        return problem_of(response.status_code, details, retry_after_of(response.headers))

    def _not_reachable(self, error: httpx2.TransportError) -> NotReachable:
        reason = str(error) or type(error).__name__
        return NotReachable(f"{self.address} can't be reached: {reason}")


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """Return for how many seconds to wait, which the header states as a number or a time."""
    said = headers.get("Retry-After", "").strip()
    if said.isdigit():
        return float(said)
    try:
        when = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when.tzinfo else None


def own_version() -> str:
    """Return the version of this package."""
    try:
        return version("socialcode-client")
    except PackageNotFoundError:
        return "0"
