"""One end of the border: asks the other process, and answers what it asks.

A request is `["?", number, operation, target, name, keywords, *values]`, an answer
`["=", number, *values, written]`, and of an exception `["!", ...]` likewise. `values` are items,
heap, descriptions of classes, and releases. `written` are containers of the request that have
changed, as `[place, entry]` with an entry as in a heap. While one side waits for an answer it
answers what it is asked, so calls go back and forth.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from runner.sandbox.border.channel import Channel, Gone, TooLong
from runner.sandbox.border.errors import is_failure, without_leaving
from runner.sandbox.border.operations import perform
from runner.sandbox.border.packer import Packed, Packer, Uncrossable
from runner.sandbox.border.plain import Malformed
from runner.sandbox.border.protocol import ITERATION, Operation
from runner.sandbox.border.proxies import is_proxy, keep_watch
from runner.sandbox.border.references import References
from runner.sandbox.border.snapshot import Snapshot
from runner.sandbox.border.unpacker import Unpacker

DEEPEST = 100  # requests within requests


class Broken(BaseException):
    """The other process has ended, or has sent what no honest process sends."""


class Peer:
    """An end of a border. `is_judge`: what arrives may not leave a test early."""

    def __init__(
        self,
        channel: Channel,
        *,
        modules: Collection[str] = (),
        is_judge: bool = False,
        is_strict: bool = False,
    ) -> None:
        self.is_strict = is_strict
        self.broken: Broken | None = None  # whatever a test makes of the exception
        self.failures: list[BaseException] = []  # of assertions in what the other side called
        self._channel = channel
        self._is_judge = is_judge
        self._references = References(self, modules)
        self._packer = Packer(self._references.refer)
        self._unpacker = Unpacker(self._references.resolve, self._references.create)
        self._number = 0
        self._depth = 0
        self._watched: dict[int, Snapshot] = {}

    # --- asking -----------------------------------------------------------------------------------

    def ask(
        self,
        operation: Operation,
        number: int,
        name: str,
        args: Sequence[Any] = (),
        keywords: Sequence[str] = (),
        watched: Sequence[Any] = (),
    ) -> Any:
        """Have the other side perform an operation on its object of this number."""
        if self._depth >= DEEPEST:
            raise RecursionError("calls between two processes are too deep")
        if self.broken is not None:
            raise self.broken
        try:
            packed = self._packer.pack(args)
        except Uncrossable as error:
            raise TypeError(str(error)) from None
        self._number += 1
        known = [*packed.objects, *watched] if watched else packed.objects
        self._depth += 1
        try:
            self._send(["?", self._number, operation, number, name, keywords], packed)
            failed, value = self._await(self._number, known)
        except (Malformed, Gone) as error:
            self.broken = Broken(str(error))
            raise self.broken from None
        finally:
            self._depth -= 1
        if failed:
            is_end = name in ITERATION
            raise without_leaving(value, ends_iteration=is_end) if self._is_judge else value
        if is_proxy(value) and packed.objects:
            keep_watch(value, known)
        return value

    def _await(self, number: int, known: Sequence[Any]) -> tuple[bool, Any]:
        while True:
            match self._channel.receive():
                case ["?", *request]:
                    self._answer(request)
                case [("=" | "!") as kind, answered, items, heap, news, released, written]:
                    if answered != number:
                        raise Malformed("an answer to another request")
                    self._references.learn(news, released)
                    values, _ = self._unpacker.unpack(items, heap, known, written)
                    if len(values) != 1:
                        raise Malformed("an answer has one value")
                    if kind == "!" and not isinstance(values[0], BaseException):
                        raise Malformed("an exception that is none")
                    return kind == "!", values[0]
                case _:
                    raise Malformed("a message of an unknown form")

    def _send(self, head: list[Any], packed: Packed, *rest: Any) -> None:
        news, released = self._references.take_news()
        self._channel.send([*head, packed.items, packed.heap, news, released, *rest])

    def offer(self, names: dict[str, Any]) -> int:
        """Let the other side fetch these objects; returns the number to tell it."""
        return self._references.handles.send(lambda: names)

    def fetch(self, number: int) -> dict[str, Any]:
        """Return what the other side offers by this number."""
        offered: dict[str, Any] = self.ask(Operation.CALL, number, "")
        return offered

    # --- answering --------------------------------------------------------------------------------

    def serve(self) -> None:
        """Answer requests until the other side has gone."""
        while True:
            match self._channel.receive():
                case ["?", *request]:
                    self._answer(request)
                case _:
                    raise Malformed("a message of an unknown form")

    def _answer(self, request: list[Any]) -> None:
        if len(request) != 9:
            raise Malformed("a request of an unknown form")
        number, operation, target, name, keywords, items, heap, news, released = request
        self._references.learn(news, released)
        args, objects = self._unpacker.unpack(items, heap)
        thing = self._references.handles.find(target)
        snapshots = [Snapshot(objects)]
        if name in ITERATION and target in self._watched:
            snapshots.append(self._watched[target])
        kind = "="
        try:
            value = perform(operation, thing, name, args, keywords)
        except (Malformed, Broken):
            raise
        except BaseException as error:
            kind, value = "!", error
            if self._is_judge and is_failure(error):
                self.failures.append(error)
        self._reply(kind, number, value, snapshots)

    def _reply(self, kind: str, number: int, value: Any, snapshots: list[Snapshot]) -> None:
        known: list[Any] = []
        changed: list[tuple[int, Any]] = []
        for each in snapshots:
            changed += [(len(known) + place, container) for place, container in each.changed()]
            known += each.objects
        try:
            packed = self._packer.pack([value], known, changed)
            self._send([kind, number], packed, packed.written)
        except (Uncrossable, TooLong, RecursionError) as error:
            packed = self._packer.pack([TypeError(str(error))])
            self._send(["!", number], packed, [])
            return
        match packed.items[0]:
            case ["h", int() as handle, _] if known and kind == "=":
                self._watched[handle] = snapshots[0]
