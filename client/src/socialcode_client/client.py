"""The site's operations as methods."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from socialcode_client.errors import StillOpen
from socialcode_client.models import (
    Batch,
    Call,
    Canary,
    Change,
    Check,
    EventPage,
    Export,
    Function,
    FunctionShort,
    Implementation,
    LockChange,
    Page,
    Release,
    Result,
    Scores,
    Task,
    Test,
    Token,
)
from socialcode_client.requests import Requests, segment
from socialcode_client.transport import Repeat

Noun = Literal["implementations", "tests"]

# The site answers before that, also while nothing has happened.
WAIT_SECONDS = 30
_SHORTEST_PAUSE = 0.2
_LONGEST_PAUSE = 2.0


class Client(Requests):
    """A user of a site, or nobody if there is no token; also a context manager.

    Refusals are raised as `Problem`. A request that fails is repeated where that does no harm.
    """

    # --- reading ----------------------------------------------------------------------------------

    def search(
        self, words: str = "", *, status: str = "", kind: str = "", sort: str = ""
    ) -> Iterator[FunctionShort]:
        """Yield functions; `words` may have filters, as in the site's search."""
        query = {"q": words, "status": status, "kind": kind, "sort": sort}
        return self._listed(FunctionShort, "/functions/", query)

    def function(self, name: str) -> Function:
        """Return a function with its works and results."""
        return self._read(Function, f"/functions/{segment(name)}/")

    def implementation(self, work_id: int) -> Implementation:
        """Return an implementation, or a draft of yours."""
        return self._read(Implementation, f"/implementations/{work_id}/")

    def test(self, work_id: int) -> Test:
        """Return a test, or a draft of yours."""
        return self._read(Test, f"/tests/{work_id}/")

    def why(self, name: str) -> dict[str, Any]:
        """Return why a function has its current implementation, or none."""
        return self._json("GET", f"/functions/{segment(name)}/why/")

    def document(self, name: str) -> Any:
        """Return the current content of a document, with what it links."""
        return self._send("GET", f"/documents/{segment(name)}/").json()

    def batch(self, batch_id: int, *, wait: int = 0) -> Batch:
        """Return a batch: when it has ended, or after `wait` seconds."""
        return self._read(Batch, f"/batches/{batch_id}/", {"wait": wait} if wait else None)

    def tasks(self, batch_id: int) -> Iterator[Task]:
        """Yield the programs of a batch, in order of submission."""
        return self._listed(Task, "/tasks/", {"batch": batch_id})

    def result(self, key: str) -> Result:
        """Return the record of the program with this key."""
        return self._read(Result, f"/results/{segment(key)}/")

    def events(self, topic: str, *, after: int, epoch: int) -> EventPage:
        """Return the next events of a topic, at most 300."""
        query = {"after": after, "epoch": epoch}
        return self._read(EventPage, f"/topics/{segment(topic)}/events", query)

    # --- works ------------------------------------------------------------------------------------

    def define(
        self, name: str, *, signature: str = "", description: str = "", kind: str = "function"
    ) -> Function:
        """Create a function."""
        body = {"name": name, "signature": signature, "description": description, "kind": kind}
        return Function.model_validate(self._make("/functions/", body))

    def draft_implementation(
        self, function: str, code: str, *, title: str = "", based_on: int | None = None
    ) -> Implementation:
        """Create a draft of an implementation, which only you see."""
        body = _work(code, title, based_on)
        path = f"/functions/{segment(function)}/implementations/"
        return Implementation.model_validate(self._make(path, body))

    def draft_test(
        self, function: str, code: str, *, title: str = "", based_on: int | None = None
    ) -> Test:
        """Create a draft of a test, which only you see."""
        body = _work(code, title, based_on)
        path = f"/functions/{segment(function)}/tests/"
        return Test.model_validate(self._make(path, body))

    def save_implementation(
        self, work_id: int, code: str, *, version: int | None = None
    ) -> Implementation:
        """Save a draft; refused if `version` isn't its last save's."""
        return Implementation.model_validate(self._save("implementations", work_id, code, version))

    def save_test(self, work_id: int, code: str, *, version: int | None = None) -> Test:
        """Save a draft; refused if `version` isn't its last save's."""
        return Test.model_validate(self._save("tests", work_id, code, version))

    def discard(self, noun: Noun, work_id: int) -> None:
        """Delete a draft."""
        self._send("DELETE", f"/{noun}/{work_id}/", repeat=Repeat.IF_REFUSED)

    def check(
        self, function: str, *, implementation: str | None = None, test: str | None = None
    ) -> Check:
        """Run unsaved code: an implementation against the tests, or a test the other way around."""
        given = {"implementation": implementation, "test": test}
        body = {noun: code for noun, code in given.items() if code is not None}
        path = f"/functions/{segment(function)}/check/"
        return Check.model_validate(self._json("POST", path, body=body, repeat=Repeat.ALWAYS))

    def run(self, noun: Noun, work_id: int) -> int:
        """Run a draft; return the batch."""
        return self._start(f"/{noun}/{work_id}/run/")

    def publish(self, noun: Noun, work_id: int) -> int:
        """Publish a draft; return the batch."""
        return self._start(f"/{noun}/{work_id}/publish/")

    def withdraw(self, noun: Noun, work_id: int) -> int:
        """Withdraw published work; return the batch."""
        return self._start(f"/{noun}/{work_id}/withdraw/")

    def vote(self, noun: Noun, work_id: int, value: Literal[1, 0, -1]) -> Scores:
        """Vote; return the scores after it."""
        answer = self._json(
            "PUT", f"/{noun}/{work_id}/vote/", body={"value": value}, repeat=Repeat.ALWAYS
        )
        return Scores.model_validate(answer)

    def wait(
        self,
        batch_id: int,
        *,
        seconds: float | None = None,
        watch: Callable[[Batch], object] = id,
    ) -> Batch:
        """Return a batch when it has ended; `watch` is called with each state of it.

        Raises StillOpen after so many seconds.
        """
        until = None if seconds is None else time.monotonic() + seconds
        pause = _SHORTEST_PAUSE
        while True:
            asked = time.monotonic()
            left = WAIT_SECONDS if until is None else until - asked
            batch = self.batch(batch_id, wait=max(1, min(WAIT_SECONDS, int(left))))
            watch(batch)
            if not batch.is_open:
                return batch
            if until is not None and time.monotonic() >= until:
                raise StillOpen(f"Batch {batch_id} is still open after {seconds:g} seconds.")
            if time.monotonic() - asked < 1:  # the site hasn't waited
                self._patience.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_PAUSE)

    # --- calls ------------------------------------------------------------------------------------

    def call(
        self,
        function: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        lock: str | None = None,
    ) -> Call:
        """Call a function; with `lock`, in the versions of an earlier call. Raises CallFailed."""
        body: dict[str, Any] = {"args": list(args), "kwargs": dict(kwargs or {})}
        if lock:
            body["lock"] = lock
        path = f"/functions/{segment(function)}/call/"
        return Call.model_validate(self._json("POST", path, body=body, repeat=Repeat.ALWAYS))

    # --- packages ---------------------------------------------------------------------------------

    def releases(self, function: str) -> Iterator[Release]:
        """Yield a function's releases, the newest first."""
        return self._listed(Release, f"/functions/{segment(function)}/releases/", {})

    def changes(self, function: str, since: str, until: str = "") -> list[Change]:
        """Return what differs, of a function and of what it needs, between two times."""
        query = {"since": since, "until": until}
        path = f"/functions/{segment(function)}/releases/changes/"
        return self._read(Page[Change], path, query).items

    def lock_file(self, functions: Sequence[str], filename: str, *, at: str = "") -> str:
        """Return a lock file of functions: `pylock.toml` or `requirements.txt`."""
        query: dict[str, Any] = {"function": list(functions)}
        if at:
            query["at"] = at
        path = f"/simple/lock/{segment(filename)}"
        answer = self._transport.send("GET", path, query=query, repeat=Repeat.ALWAYS)
        return answer.text

    def export(self, function: str) -> Export:
        """Return the files of a function's export."""
        return self._read(Export, f"/functions/{segment(function)}/export/")

    def export_file(self, function: str, filename: str) -> bytes:
        """Return the content of a file of an export."""
        path = f"/functions/{segment(function)}/export/{segment(filename)}"
        return self._send("GET", path).content

    def file(self, path: str) -> bytes:
        """Return the content of a file, by its address on the site."""
        return self._transport.send("GET", path, repeat=Repeat.ALWAYS).content

    # --- registered projects ----------------------------------------------------------------------

    def canaries(self) -> Iterator[Canary]:
        """Yield the projects that one has registered, without their releases."""
        return self._listed(Canary, "/canaries/", {})

    def register_canary(self, name: str, lock: Mapping[str, Any]) -> Canary:
        """Register a project; `lock` is `pylock`, `requirements` or `releases`, beside a `url`."""
        return Canary.model_validate(self._make("/canaries/", {"name": name, **lock}))

    def move_canary(self, canary_id: int, name: str, lock: Mapping[str, Any]) -> Canary:
        """Give a project its new lock; without a `url` its webhook stays."""
        body = {"name": name, **lock}
        path = f"/canaries/{canary_id}/"
        return Canary.model_validate(self._json("PUT", path, body=body, repeat=Repeat.ALWAYS))

    def canary_changes(self, canary_id: int) -> list[LockChange]:
        """Return the locked releases of a project that aren't current now."""
        return self._read(Page[LockChange], f"/canaries/{canary_id}/changes/").items

    def remove_canary(self, canary_id: int) -> None:
        """End the registration of a project."""
        self._send("DELETE", f"/canaries/{canary_id}/", repeat=Repeat.IF_REFUSED)

    # --- oneself ----------------------------------------------------------------------------------

    def create_token(
        self, username: str, password: str, *, name: str = "", scopes: Sequence[str] = ()
    ) -> str:
        """Return a new token of a user; without scopes, it may do all that the user may."""
        body: dict[str, Any] = {"username": username, "password": password}
        body |= {"name": name} if name else {}
        body |= {"scopes": list(scopes)} if scopes else {}
        return Token.model_validate(self._json("POST", "/tokens/", body=body)).token

    def use(self) -> dict[str, Any]:
        """Return what one has used of one's quotas; refused without a valid token."""
        return self._json("GET", "/use/")

    def _save(self, noun: Noun, work_id: int, code: str, version: int | None) -> dict[str, Any]:
        body: dict[str, Any] = {"code": code}
        if version is not None:
            body["version"] = version
        return self._json("PATCH", f"/{noun}/{work_id}/", body=body)


def _work(code: str, title: str, based_on: int | None) -> dict[str, Any]:
    body: dict[str, Any] = {"code": code}
    if title:
        body["title"] = title
    if based_on is not None:
        body["based_on"] = based_on
    return body
