"""One end of the border: sends requests to the other process, and answers its requests."""

from __future__ import annotations

import contextlib
import threading
from _thread import _count  # as threading.active_count, without a lock
from asyncio import _get_running_loop
from collections.abc import Callable, Collection, Sequence
from typing import Any

from runner.sandbox.border.changes import (
    ReceivedLists,
    Renewal,
    SentLists,
    Snapshot,
    are_small,
    extend,
    merge,
    renew,
    sync,
)
from runner.sandbox.border.codec import Packed, Packer, Unpacker
from runner.sandbox.border.coroutines import Coroutines
from runner.sandbox.border.operations import perform
from runner.sandbox.border.plain import Malformed, Uncrossable
from runner.sandbox.border.protocol import (
    ITERATION,
    OF_LOOPS,
    RESUMING,
    Broken,
    Channel,
    Gone,
    Operation,
    TooLong,
    encode,
    encode_asked,
    is_failure,
)
from runner.sandbox.border.proxies import is_proxy, keep_watch
from runner.sandbox.border.references import Mediator, References
from runner.sandbox.border.rules import Results
from runner.sandbox.border.states import SharedClasses
from runner.sandbox.border.threads import CLOSED, Exchange, Line

DEEPEST = 100  # nested requests
_Asked = tuple[Operation, int, str, tuple[str, ...]]  # with target, name and keywords
_NOWHERE = contextlib.nullcontext()
_MANY_OF_REQUEST, _MANY_OF_ANSWER = 12, 7  # parts


class Peer:
    """An end of a border.

    `is_judge`: the other side's exceptions can't end a test early. `shared` are this process's
    classes that other processes define as well; `mediator` transfers objects of such classes.
    `observe` is called with each exception before it is sent as an answer. The thread that makes
    this end serves the thread that has made the other end.
    """

    def __init__(
        self,
        channel: Channel,
        *,
        modules: Collection[str] = (),
        is_judge: bool = False,
        is_strict: bool = False,
        observe: Callable[[BaseException], None] = lambda _: None,
        shared: SharedClasses | None = None,
        mediator: Mediator | None = None,
    ) -> None:
        self.is_strict = is_strict
        self.is_judge = is_judge
        self.broken: BaseException | None = None  # kept, because a test may catch the exception
        self.is_deserted = False  # the other process has ended
        # Called with the arguments before each request.
        self.before: Callable[[Sequence[Any]], None] | None = None
        # Failed assertions in callbacks, and violations of what the other side has promised.
        self.failures: list[BaseException] = []
        self._observe = observe
        self._channel = channel
        self.mediator = mediator
        self._references = References(self, modules, shared)
        self.results = Results(self._references.origin_of, self.failures, is_judge=is_judge)
        # Only the judge has large lists kept by the other side; it doesn't trust others to do so.
        self._sent = SentLists() if is_judge else None
        self._packer = Packer(self._references.refer, self._sent)
        self._renewal = Renewal(self._packer, is_judge=is_judge)
        self._received = None if is_judge else ReceivedLists()
        references = self._references
        self._unpacker = Unpacker(references.resolve, references.create, self._received)
        self._exchange = Exchange(self._read, self._serve)
        self.line = self._exchange.current  # of this thread
        self._coroutines = Coroutines(self)
        self.awaiting = self._coroutines.awaiting
        self._sending = threading.RLock()
        self._asked: dict[int, Line] = {}  # lines by the number of an unanswered request
        self._number = 0
        self._told_of_threads = False
        self._watched: dict[int, Snapshot] = {}
        self._begun: set[int] = set()  # generators of the other side that have started

    # --- asking -----------------------------------------------------------------------------------

    def ask(
        self,
        operation: Operation,
        number: int,
        name: str,
        args: Sequence[Any] = (),
        keywords: tuple[str, ...] = (),
        watched: Sequence[Any] = (),
    ) -> Any:
        """Request an operation on the other side's object of this number; return its result."""
        if self.before is not None:
            self.before(args)
        line = self._line_to_ask_on()
        self.results.begin(operation, name)
        met = self._unpacker.met
        if (loop := _get_running_loop()) is not None:
            self._coroutines.enter(line, loop)
        outer = line.awaited, line.known
        line.depth += 1
        try:
            kind, asked = "?" if loop is None else "&", (operation, number, name, keywords)
            packed, is_synced = self._request(line, kind, asked, args, watched)
            while type(message := self._exchange.receive(line)) is not tuple:
                self._answer(message, line)
        except (Malformed, Gone) as error:
            raise self.give_up(error) from None
        finally:
            line.awaited, line.known = outer
            line.depth -= 1
        for snapshot in line.snapshots if is_synced else ():
            snapshot.changed()  # so that these changes aren't sent back
        kind, value = message
        if kind != "=":
            self._begun.discard(number)
            raise self.results.error_of(kind, value, operation, name)
        self.results.check(operation, number, name, value, is_plain=self._unpacker.met == met)
        if name in ITERATION:
            self._begun.add(number)
        if packed.objects:
            (keep_watch if is_proxy(value) else self._coroutines.keep_watch)(value, packed.objects)
        self._renewal.note(number, name, watched)
        return value

    def _line_to_ask_on(self) -> Line:
        line = self.line()
        if line.depth >= DEEPEST:
            raise RecursionError("calls between two processes are too deep")
        if self.broken is not None:
            raise self.broken
        return line

    def _request(
        self, line: Line, kind: str, asked: _Asked, args: Sequence[Any], watched: Sequence[Any]
    ) -> tuple[Packed, bool]:
        """Send a request; return its values, and whether the changes of a call were included."""
        with self._sending:
            if (renewed := self._renewal.take(*asked[1:3])) is not None:
                self._send(f'"renew",{asked[1]}', renewed, encode(renewed.written))
            # Include changes of the judge's objects, so that a callback sees them.
            synced = None if line.snapshots is None else sync(line.snapshots)
            known, changed = synced or ((), ())
            try:
                packed = self._packer.pack(args, known, changed)
            except Uncrossable as error:
                raise TypeError(str(error)) from None
            delta = "null" if synced is None else encode(packed.written)
            number = self._number = self._number + 1
            line.awaited = number
            line.known = [*packed.objects, *watched, *known]
            self._asked[number] = line
            try:
                self._send(f'"{kind}",{number},{encode_asked(*asked)},{delta}', packed, line.number)
            except TooLong:
                del self._asked[number]
                raise
        return packed, synced is not None

    def abandon(self, number: int, watched: Sequence[Any]) -> None:
        """Close an unreferenced generator of the other side, unless a message is being handled."""
        is_amid = self._exchange.is_busy() or self._sending._is_owned()  # type: ignore[attr-defined] # noqa: SLF001
        if number in self._begun and not is_amid and self._references.has(number):
            with contextlib.suppress(Exception, Broken):
                self.ask(Operation.SPECIAL, number, "close", watched=watched)
        self._begun.discard(number)

    def give_up(self, error: Exception) -> BaseException:
        """Break the border permanently; return the exception to raise."""
        if self.broken is None:
            self.broken = Broken(str(error))
            self.is_deserted = isinstance(error, Gone)
        self._exchange.end(error)
        self._coroutines.end()
        return self.broken

    def offer(self, names: dict[str, Any]) -> int:
        """Let the other side fetch these objects; return their number."""
        return self._references.handles.send(lambda: names)

    def fetch(self, number: int) -> dict[str, Any]:
        """Return the objects that the other side offers under this number."""
        return self.ask(Operation.CALL, number, "")  # type: ignore[no-any-return]

    # --- messages ---------------------------------------------------------------------------------

    def _send(self, head: str, packed: Packed, last: str | int) -> None:
        # The caller holds the lock, because notices must precede the message that depends on them.
        if not self._told_of_threads and _count() > 0:
            self._told_of_threads = True
            self._channel.send('["threads"]')
        if self._exchange.ended:
            for number in self._exchange.take_ended():
                self._channel.send(f'["closed",{number}]')
        news, released = self._references.take_news()
        try:
            self._channel.send_values(head, (packed.items, packed.heap, news, released), last)
        except TooLong:
            if self._sent is not None:
                self._sent.clear()
            self._references.return_news(news, released)
            raise

    def notify(self, line: Line) -> None:
        """Notify the other side that this line's event loop has something to do."""
        with contextlib.suppress(Gone), self._sending:
            self._channel.send(f'["ready",{line.number}]')

    def _read(self) -> tuple[Line, Any] | None:
        """Read and decode the next message; return its line and content, None for a notice."""
        message = self._channel.receive()
        kind, many = (message[0], len(message)) if message and type(message) is list else ("", 0)
        if many == _MANY_OF_ANSWER and kind in ("=", "!", "-"):
            _, number, items, heap, news, released, written = message
            line = self._asked.pop(number, None) if type(number) is int else None
            if line is None or line.awaited != number:
                raise Malformed("an answer to another request")
            self._references.learn(news, released)
            values, objects = self._unpack(line, items, heap, line.known, written)
            if objects and line.snapshots is not None:
                extend(line.snapshots, objects)
            if len(values) != 1 or (kind != "=" and not isinstance(values[0], BaseException)):
                raise Malformed("an answer is one value, or one exception")
            return line, (kind, values[0])
        if many == _MANY_OF_REQUEST and kind in ("?", "&"):
            _, number, operation, target, name, _, written, items, heap, news, past, at = message
            if not type(number) is type(target) is int or not type(operation) is type(name) is str:
                raise Malformed("a request of an unknown form")
            self._references.learn(news, past)
            line = self._exchange.find(at, may_open=True)
            known = line.known if self.is_judge and written is not None else ()
            message[7:] = self._unpack(line, items, heap, known, written)
            return line, message
        self._take_notice(message)
        return None

    def _take_notice(self, message: Any) -> None:
        match message:
            case ["ready", number]:
                self._coroutines.schedule(self._exchange.find(number, may_open=False))
            case ["closed", number]:
                self._exchange.close(number)
            case ["threads"]:
                self._exchange.listen()
            case ["renew", number, items, heap, news, released, written] if not self.is_judge:
                self._references.learn(news, released)
                with self._exchange.aside():
                    renew(self._watched.get(number), self._unpacker, items, heap, written)
            case _:
                raise Malformed("a message of an unknown form")

    def _unpack(
        self, line: Line, items: Any, heap: Any, known: Sequence[Any] = (), written: Any = None
    ) -> tuple[list[Any], list[Any]]:
        if not (heap or written) or self._exchange.is_own(line):
            return self._unpacker.unpack(items, heap, known, written)
        # Decoding may call `__hash__` of proxies, which must not use the line of this message.
        with self._exchange.aside():
            return self._unpacker.unpack(items, heap, known, written)

    # --- answering --------------------------------------------------------------------------------

    def serve(self, line: Line | None = None) -> None:
        """Answer requests until the other side has ended."""
        line = line or self.line()
        while (request := self._exchange.receive(line)) is not CLOSED:
            self._answer(request, line)

    def _serve(self, line: Line) -> None:
        """Answer requests in a thread that was started for it."""
        try:
            self.serve(line)
        except (Malformed, Gone) as error:
            self.give_up(error)
        except Broken:
            pass

    def _answer(self, request: Any, line: Line) -> None:
        if type(request) is not list:
            raise Malformed("a message of an unknown form")
        kind, number, operation, target, name, keywords, written, args, objects = request
        snapshots = [received := Snapshot(objects, self._received)] if objects else []
        if name in RESUMING and target in self._watched:
            snapshots.append(self._watched[target])
        outer = line.snapshots
        if not self.is_judge:
            line.snapshots = snapshots
        elif written is not None and are_small(line.known):
            snapshots.append(Snapshot(line.known))
        try:
            is_of_loops = operation in OF_LOOPS and not target
            thing = None if is_of_loops else self._references.handles.find(target)
            if operation in OF_LOOPS:
                value = self._coroutines.perform(line, operation, thing, name, args)
            else:
                with self._coroutines.entered(line) if kind == "&" else _NOWHERE:
                    value = perform(operation, thing, name, args, keywords, is_judge=self.is_judge)
            kind = "="
        except (Malformed, Broken):
            raise
        except BaseException as error:
            kind, value = "!", error
            self._observe(error)
            if self.is_judge and is_failure(error):
                self.failures.append(error)
        match self._reply(line, [kind, number, value], snapshots):
            case ["h" | "coroutine", int() as handle, _] if objects and kind == "=":
                self._watched[handle] = received
        line.snapshots = outer

    def _reply(self, line: Line, answer: Sequence[Any], snapshots: list[Snapshot]) -> Any:
        """Send an answer; return its value as an item."""
        kind, number, value = answer
        known, changed = merge(snapshots) if snapshots else ((), ())
        asked_with = line.known
        with self._sending:
            try:
                packed = self._packer.pack([value], known, changed)
                # Before sending, because another thread may read the next message.
                line.know(asked_with, packed.objects)
                self._send(f'"{kind}",{number}', packed, encode(packed.written))
            except (Uncrossable, TooLong, RecursionError) as error:
                packed = self._packer.pack([TypeError(str(error))])
                line.know(asked_with, packed.objects)
                self._send(f'"-",{number}', packed, "[]")
        return packed.items[0]
