"""One user's requests to the API of one site."""

import uuid
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import BaseModel

from socialcode_client.models import Started
from socialcode_client.transport import Patience, Repeat, Transport

M = TypeVar("M", bound=BaseModel)

API = "/api/v1"


class Requests:
    """Sends requests, and reads answers; also a context manager."""

    def __init__(
        self,
        address: str,
        token: str | None = None,
        *,
        patience: Patience | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._patience = patience or Patience()
        self._transport = Transport(address, token, patience=self._patience, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    @property
    def address(self) -> str:
        """The site's address, without a slash at its end."""
        return self._transport.address

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        repeat: Repeat | None = None,
    ) -> httpx2.Response:
        may = repeat or (Repeat.ALWAYS if method == "GET" else Repeat.IF_REFUSED)
        return self._transport.send(
            method, f"{API}{path}", query=query, body=body, headers=headers, repeat=may
        )

    def _json(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        repeat: Repeat | None = None,
    ) -> dict[str, Any]:
        answer: dict[str, Any] = self._send(
            method, path, query=query, body=body, repeat=repeat
        ).json()
        return answer

    def _read(self, model: type[M], path: str, query: Mapping[str, Any] | None = None) -> M:
        return model.model_validate(self._json("GET", path, query=query))

    def _listed(self, model: type[M], path: str, query: Mapping[str, Any]) -> Iterator[M]:
        asked = {name: value for name, value in query.items() if value not in ("", None)}
        while True:
            page = self._json("GET", path, query=asked)
            yield from map(model.model_validate, page["items"])
            if not page.get("next"):
                return
            asked = {**asked, "cursor": page["next"]}

    def _start(self, path: str) -> int:
        return Started.model_validate(self._make(path, None)).batch

    def _make(self, path: str, body: Any) -> dict[str, Any]:
        """Make something; under the same key, a repeated request makes no second one."""
        key = {"Idempotency-Key": uuid.uuid4().hex}
        answer = self._send("POST", path, body=body, headers=key, repeat=Repeat.ALWAYS)
        made: dict[str, Any] = answer.json()
        return made


def segment(text: str) -> str:
    """Return text as one segment of an address."""
    return quote(text, safe=":")
