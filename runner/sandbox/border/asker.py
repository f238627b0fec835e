"""What proxies need of the end of a border."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any, NamedTuple, Protocol

from runner.sandbox.border.protocol import Operation
from runner.sandbox.border.results import Results


class Asker(Protocol):
    """The end of a border that reaches the objects' own side."""

    is_judge: bool
    is_strict: bool
    results: Results
    mediator: Any  # between this process and others, if there are any

    def ask(
        self,
        operation: Operation,
        number: int,
        name: str,
        args: Sequence[Any] = (),
        keywords: Sequence[str] = (),
        watched: Sequence[Any] = (),
    ) -> Any:
        """Return what the operation on the object of this number gives, or raise what it raises.

        The last of `args` belong to the keywords. `watched` are objects that were sent earlier, and
        are changed here if they were changed there.
        """

    def abandon(self, number: int, watched: Sequence[Any]) -> None:
        """Close a generator that nobody here has any more."""

    def awaiting(
        self,
        number: int,
        name: str,
        args: Sequence[Any] = (),
        watched: Sequence[Any] = (),
        owner: object = None,
    ) -> Coroutine[Any, Any, Any]:
        """Return a coroutine that has what a special method returns awaited on its own side.

        Of `__await__`, the object itself. `owner` is the proxy, which is needed as long.
        """


class Origin(NamedTuple):
    """Where a proxy's object is."""

    asker: Asker
    number: int
    watched: Sequence[Any]  # what was sent with the call that returned it
