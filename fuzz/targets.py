"""Fuzz targets; each takes any bytes, and fails by raising."""

from __future__ import annotations

import datetime as dt
import functools
import json
import marshal
import os
import re
import socket
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from runner.sandbox import Limits, Module, Outcome, Program, SandboxBroken, as_module
from runner.sandbox.border.codec import Form, Packer, Unpacker
from runner.sandbox.border.peer import Peer
from runner.sandbox.border.plain import Malformed, Uncrossable
from runner.sandbox.border.protocol import Broken, Channel, Gone, Operation, encode
from runner.sandbox.border.proxies import is_proxy
from runner.sandbox.language.compilation import Uncompilable, check, compile_module
from runner.sandbox.process.output import Output
from runner.sandbox.programs import Complaint
from runner.sandbox.supervisor.member import CodeCache
from runner.sandbox.supervisor.placement import place
from runner.sandbox.supervisor.process import Process
from runner.sandbox.supervisor.protocol import TOKEN_BYTES, Usage
from runner.sandbox.supervisor.run import Run
from tests.sandbox.javascript.table import ATTACKS, HONEST, PROGRAMS
from tests.sandbox.programs.table import Script, read_tables

ROOT = Path(__file__).parent.parent

# --- The compiler: any text results in complaints or code ------------------------------------


def compiler(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    try:
        compiled = compile_module(text, name="F")
    except Uncompilable as refused:
        _check(refused.complaints)
        return
    assert marshal.loads(marshal.dumps(compiled)) == compiled, "code can be marshalled"  # noqa: S302


def _check(complaints: list[Complaint]) -> None:
    assert complaints, "a refusal has a complaint"
    for complaint in complaints:
        assert complaint.message, "a complaint has a message"
        assert complaint.line >= 1, "a complaint has a line"
        assert complaint.column >= 1, "a complaint has a column"


# --- JavaScript: any text results in complaints or none -------------------------------------------


def javascript(data: bytes) -> None:
    for complaint in check(as_module(data.decode("utf-8", "surrogateescape")), name="F").complaints:
        _check([complaint])


# --- Frames: whatever a child sends, its supervisor returns an outcome ---------------------------

TOKEN = bytes(TOKEN_BYTES)
_MODULES = (Module("F", "F = 1"), Module("test", "assert F", ("F",)))
_LIMITS = Limits(output_lines=50, output_bytes=10_000)
# Separates the judge's bytes from the subject's.
_OF_SUBJECT = b"|of the subject|"
# Limit of buffered bytes: one incomplete frame and one received chunk.
_MOST_PENDING = 4 << 20


def frames(data: bytes) -> None:
    pairs = [socket.socketpair() for _ in _MODULES]
    program = Program(_MODULES, "test", "F", _LIMITS)
    run = Run(
        program,
        place(program),
        [Process(number, ours) for number, (ours, _) in enumerate(pairs)],
        CodeCache(),
    )
    run._token = TOKEN
    run.send()
    of_judge, _, of_subject = data.partition(_OF_SUBJECT)
    for (_, theirs), piece in zip(pairs, (of_judge, of_subject), strict=True):
        with theirs:
            theirs.setblocking(False)
            theirs.send(piece[:65_536])
    for member in run.members:
        run.receive(member)
        assert len(member._reader._pending) < _MOST_PENDING
        run.finish(member, 0, Usage(0, 0))
    outcome = run.conclude()
    for process in (member.process for member in run.members):
        process.close()
    assert isinstance(outcome, Outcome | SandboxBroken)
    if isinstance(outcome, Outcome):
        lines = [line.text for line in outcome.log]
        assert len(lines) <= _LIMITS.output_lines + 1
        told = json.dumps([outcome.message, outcome.value, lines], ensure_ascii=False)
        assert "\0" not in told.encode("utf-8").decode("utf-8")


# --- The border: whatever a process sends, the other reads values or raises Malformed ------------

_REFERENCE = ["h", 1]


def border(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setblocking(False)
        theirs.send(data[:65_536])
        theirs.close()
        channel = Channel(ours.fileno())
        try:
            match channel.receive():
                case [items, heap]:
                    _read_values(items, heap)
        except (Malformed, Gone):
            return


def _read_values(items: object, heap: object) -> None:
    values, objects = Unpacker(_resolve, _create).unpack(items, heap, [[], {}])
    assert all(type(thing).__module__ != "os" for thing in (*values, *objects))
    try:
        packed = Packer(_refer).pack(values)
    except Uncrossable:
        return
    again, _ = Unpacker(_resolve, _create).unpack(packed.items, packed.heap)
    assert [type(value) for value in again] == [type(value) for value in values]


def _resolve(item: list[object]) -> object:
    if item != _REFERENCE:
        raise Malformed("an unknown reference")
    return border


def _refer(value: object) -> Form | list[object]:
    return _REFERENCE if value is border else Form("C", (None, vars(value) or None))


def _create(reference: object, base: object) -> object:
    if reference != "C" or base is not None:
        raise Malformed("an unknown class")
    return SimpleNamespace()


# --- A hostile subject: whatever it responds, the judge continues or raises Broken ----------------


def subject(data: bytes) -> None:
    """Respond with JSON lines to a judge that calls, iterates and compares."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setblocking(False)
        channel = Channel(theirs.fileno())
        for line in data[:30_000].splitlines():
            try:
                channel.send(encode(json.loads(line)))
            except (ValueError, RecursionError):
                continue
        theirs.shutdown(socket.SHUT_WR)
        peer = Peer(Channel(ours.fileno()), modules={"json"}, is_judge=True, is_strict=True)
        peer.offer({"border": border})
        for _ in range(3):
            _use(peer)


def _use(peer: Peer) -> None:
    found, error = _attempt(lambda: peer.ask(Operation.CALL, 1, "", ([1, {"a": ()}], border)))
    assert not isinstance(error, _LEAVING)
    if is_proxy(found):
        assert found != 5, "no object is equal to plain data"
        assert [found] != [5], "no object is equal to plain data"
    for use in _USES:
        _, error = _attempt(functools.partial(use, found))
        assert use is next or not isinstance(error, _LEAVING)


_LEAVING = (StopIteration, StopAsyncIteration, GeneratorExit, KeyboardInterrupt, Malformed)
_USES: tuple[Callable[[Any], Any], ...] = (
    *(repr, len, iter, hash, next),
    lambda found: found + 1,
    lambda found: found.name,
)


def _attempt(do: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        return do(), None
    except (Broken, Exception) as error:  # noqa: BLE001 - a subject may raise anything
        return None, error


TARGETS: dict[str, Callable[[bytes], None]] = {
    "compiler": compiler,
    "javascript": javascript,
    "frames": frames,
    "border": border,
    "subject": subject,
}


# --- Seeds --------------------------------------------------------------------------------------


def seeds(target: str) -> list[bytes]:
    """Return a target's seeds, from the repository's samples."""
    begin = {
        "compiler": _sources,
        "javascript": _scripts,
        "frames": _streams,
        "border": _messages,
        "subject": _answers,
    }
    return begin[target]()


def _answers() -> list[bytes]:
    """Return valid responses of a subject."""
    described = [9, "C", "object", [], ["__next__", "__eq__", "__len__"], [], [], [], []]
    error = [8, "E", "error", [["n", "ValueError"]], [], [], [], []]
    bag = [7, "Bag", "data", [["n", "list"]], [], ["add"], [], []]
    colour = [6, "Colour", "enum", [["n", "Enum"]], [], [], [], [["RED", 1]]]
    answers: list[list[object]] = [
        ["=", 1, [5], [], [], [], []],
        ["=", 1, [["h", 3, ["c", 9]]], [], [described], [], []],
        ["!", 1, [[0]], [["object", ["c", 8, 4, "t"], [1], None], ["tuple", []]], [error], [], []],
        ["=", 1, [[0]], [["extended", ["c", 7], [1], None], ["list", [1]]], [bag], [], []],
        ["=", 1, [["member", ["c", 6], "RED"]], [], [colour], [], []],
        ["=", 1, [[-1]], [], [], [], [[0, ["list", [3]]]]],
        ["?", 1, "call", 1, "", [], None, [], [], [], []],
        ["?", 1, "get", 2, "name", [], None, [], [], [], []],
        ["!", 2, [[0]], [_STOP, ["tuple", []]], [], [], []],
    ]
    lines = [json.dumps(answer).encode() for answer in answers]
    rests = [b"\n".join(lines[first:]) for first in range(len(lines))]
    return [*rests, *(b"\n".join([line, lines[-1]]) for line in lines)]


_STOP = ["object", ["n", "StopIteration", 0, ""], [1], None]


def _messages() -> list[bytes]:
    """Return messages of an honest process, with values of many types."""
    shared: list[object] = [1, "é", None]
    shared.append(shared)
    groups: list[list[object]] = [
        [1, 1.5, "text", None, True],
        [shared, {"a": shared, (1, 2): {3}}, (shared, frozenset({4}))],
        [Decimal("1.5"), Fraction(1, 3), 1 << 700, 2j, b"bytes", bytearray(b"b"), range(3)],
        [dt.datetime(2020, 1, 2, tzinfo=dt.UTC), dt.timedelta(1), re.compile("a+"), len, int],
        [deque([1], 2), Counter("ab"), OrderedDict(a=1), defaultdict(list), [*range(40)]],
        [border, SimpleNamespace(a=1), [0.5] * 20],
        [{"a": 1}.items(), {(1, 2): []}.keys(), {"a": []}.values()],
    ]
    ours, theirs = socket.socketpair()
    messages = []
    with ours, theirs:
        for group in groups:
            packed = Packer(_refer).pack(group)
            Channel(ours.fileno()).send(encode([packed.items, packed.heap]))
            messages.append(theirs.recv(65_536))
    return messages


def _sources() -> list[bytes]:
    samples = sorted((ROOT / "functions" / "samples").rglob("*.py"))
    sources = [path.read_bytes() for path in samples if path.stat().st_size < 4_096]
    for program in read_tables():
        source = program.source if isinstance(program, Script) else program.implementation
        sources.append(source.encode())
    return sources


def _scripts() -> list[bytes]:
    programs = [code for code, _ in (*PROGRAMS.values(), *ATTACKS.values())]
    return [code.encode() for code in (HONEST, *programs)]


def _streams() -> list[bytes]:
    """Return streams of honest processes, complete and in parts."""
    result: Any = {
        "verdict": "failed",
        "message": "no",
        "module": "test",
        "line": 1,
        "trace": [["test", 1, "<module>", "assert F"]],
        "value": {"x": [1.5, None, True]},
    }
    says: list[Callable[[Output], None]] = [
        lambda output: output.ready(),
        lambda output: output.compiled(0, b"code"),
        lambda output: output.started(0.0),
        lambda output: output.write("Grüße\n\0\n"),
        lambda output: output.loaded(),
        lambda output: output.case("test_it", "failed", "no", 1),
        lambda output: output.result(result, TOKEN),
    ]
    passed: Callable[[Output], None] = lambda output: output.result(None, TOKEN)  # noqa: E731
    told = [_stream_of(says[:many]) for many in range(1, len(says) + 1)]
    told += [_stream_of([*says[:3], passed]), _stream_of([says[0], says[2], *[says[3]] * 60])]
    of_subject = _OF_SUBJECT + _stream_of([*says[:4], Output.finish])
    return [*told, *(each + of_subject for each in told)]


def _stream_of(says: list[Callable[[Output], None]]) -> bytes:
    reading, writing = os.pipe()
    output = Output(writing)
    for say in says:
        say(output)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        return stream.read()
