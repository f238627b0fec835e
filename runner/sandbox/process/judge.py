"""The judge: the process of a test, which alone reports cases and the result."""

from __future__ import annotations

import ast
import atexit
import contextlib
import json
import re
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from runner.sandbox.border.peer import Peer
from runner.sandbox.border.protocol import Channel, Gone
from runner.sandbox.border.references import Mediator
from runner.sandbox.border.rules import expect_plain
from runner.sandbox.border.states import catches_failures
from runner.sandbox.language.importable import IMPORTABLE
from runner.sandbox.process.cases import result_of_cases
from runner.sandbox.process.modules import Ended, Modules
from runner.sandbox.process.output import Output
from runner.sandbox.process.rendered_page import render
from runner.sandbox.process.surroundings import Leader
from runner.sandbox.report.json_result import json_result
from runner.sandbox.report.results import Result, result_of
from runner.sandbox.supervisor.protocol import (
    TOKEN_BYTES,
    Content,
    Hostile,
    Role,
    decode_result,
)

_WORD = re.compile(r"\w+")
# By these, a test can access names that don't appear in its source.
_LISTING = frozenset(
    """
    __dict__ __import__ compile dir doctest eval exec globals importlib inspect locals modules vars
    """.split()
)

_Names = dict[str, dict[str, Any]]  # objects by module and name

# Names of plain types, and of generic types that are plain if their parameters are.
_PLAIN_TYPES = frozenset(
    """
    None bool int float complex str bytes bytearray list tuple dict set frozenset range slice
    deque OrderedDict Counter defaultdict Decimal Fraction date time datetime timedelta timezone
    UUID List Tuple Dict Set FrozenSet Optional Union Literal
    """.split()
)
DATA, RENDER = "data", "render"  # what tests of documents and of pages get by these names


class Judge:
    """Runs a test, a script or a call, with the names that other processes define."""

    def __init__(self, content: Content, output: Output, channels: Sequence[Channel]) -> None:
        self._content = content
        self._output = output
        self._modules = Modules(content, output)
        is_strict = content["kind"] != "class"
        mediator = Mediator() if content["shared"] else None
        self._peers = {
            role: Peer(
                channel,
                modules=IMPORTABLE,
                is_judge=True,
                is_strict=is_strict,
                mediator=mediator,
            )
            for role, channel in zip((Role.SUBJECT, Role.AIDE), channels, strict=False)
        }
        # Each other process, with the `part` function that it offers.
        self._parts: list[tuple[Peer, Any]] = []
        self._told: dict[Peer, int] = {}  # number of failures that were reported

    def run(self) -> Result | None:
        """Return the result, None for passed; raises Gone if another process has ended.

        Any other exception is a bug of ours.
        """
        try:
            result = self._run()
        except Ended as ended:
            result = ended.result
        for _, part in self._parts:
            # Have them send their output; if they can't, `_of_borders` has the reason.
            with contextlib.suppress(Ended):
                self._modules.call(part, "finish")
        if self._content["entry"] != "call":
            atexit._run_exitfuncs()  # noqa: SLF001
        return self._of_borders() or result

    def _run(self) -> Result | None:
        content = self._content
        if content["entry"] == "script":
            *others, script = self._modules.namespaces
            for name in others:
                self._modules.execute(name)
            return self._modules.execute_script(script)
        if content["entry"] == "call":
            return self._call()
        given: _Names = {}
        parts = [*zip(self._peers.items(), content["given"], strict=False)]
        # The aide first, so that its classes are known before those of the subject.
        for (role, peer), wanted in reversed(parts):
            given |= self._fetch(role, peer, wanted)
        self._check_given(given)
        self._output.loaded()
        subject = given[content["subject"]][content["subject"]]
        if _is_plain_data(content["returns"]):
            expect_plain(subject, content["returns"])
        match content["entry"]:
            case "test":
                return self._test(given)
            case "load" if content["kind"] == "document":
                return self._as_result(subject, "is")
        return None

    # --- what the others define -------------------------------------------------------------------

    def _fetch(self, role: str, peer: Peer, wanted: list[str]) -> _Names:
        """Return the objects that another process offers, by module and name."""
        match self._modules.call(peer.fetch, 1):
            case {"names": dict(names), "others": dict(others), "part": part} if _are_of(
                names, wanted
            ) and _are_names(others, wanted):
                self._parts.append((peer, part))
                if peer.mediator is not None:
                    shared = self._modules.call(part, "shared")
                    peer.mediator.add(peer, shared, is_trusted=role == Role.AIDE)
                named = self._named(others)
                found = self._modules.call(part, "others", named) if named else {}
                if type(found) is dict and _are_of(found, named):
                    return {giver: names[giver] | found.get(giver, {}) for giver in names}
            case {"result": dict(result)}:
                raise Ended(self._checked(result))
        raise Ended(result_of("error", f"the {role}'s process offered nonsense"))

    def _named(self, names: dict[str, list[str]]) -> dict[str, list[str]]:
        """Return those of the names that the test may use, by module."""
        text = "".join(module.source for module in self._modules.namespaces.values())
        words = {*_WORD.findall(text)}
        if text.isascii() and _LISTING.isdisjoint(words):
            names = {giver: [*filter(words.__contains__, each)] for giver, each in names.items()}
        return {giver: each for giver, each in names.items() if each}

    def _checked(self, result: Result) -> Result:
        """Validate the result with which another process has ended; only failures are accepted."""
        with contextlib.suppress(Hostile, ValueError, TypeError):
            body = bytes(TOKEN_BYTES) + json.dumps(result).encode()
            decoded = decode_result(body, bytes(TOKEN_BYTES), {*self._content["names"]})
            if decoded.verdict != "passed":
                return result
        return result_of("error", "its process told a result that can't be one")

    def _check_given(self, given: _Names) -> None:
        """Raise Ended if a test can't be run with these names."""
        subject = self._content["subject"]
        if subject not in given[subject]:
            raise Ended(_undefined(subject))
        for giver in self._content["given"][0]:
            for name, value in given[giver].items():
                if catches_failures(value):
                    message = f"{name} is a base of AssertionError, so it would catch failed checks"
                    raise Ended(result_of("error", message, giver))
        if self._content["kind"] == "class" and not isinstance(given[subject][subject], type):
            raise Ended(result_of("error", f"{subject} is no class", subject))

    # --- a test -----------------------------------------------------------------------------------

    def _test(self, given: _Names) -> Result | None:
        *_, test = self._modules.namespaces.values()
        for giver in self._content["names"]:
            if giver in given:
                self._modules.give(giver, given[giver], skip=given.keys() - {giver})
        subject = self._content["subject"]
        match self._content["kind"]:
            case "document":
                self._modules.give(subject, {DATA: given[subject][subject]})
            case "page":
                self._modules.give(subject, {RENDER: partial(render, given[subject][subject])})
        leader = Leader(test.source)
        for peer, part in self._parts:
            self._modules.call(leader.lead, part)
            peer.before = partial(self._lead, leader, peer)
            peer.results.is_begun = True
        self._modules.execute(test.name)
        own = {name: test.globals[name] for name in test.own if name in test.globals}
        result: Result | None = self._modules.call(
            result_of_cases,
            test.globals["__name__"],
            own,
            self._explain,
            self._output.case,
            self._overlooked,
            test.tests,
        )
        return result and result | {"module": result["module"] or test.name}

    @staticmethod
    def _lead(leader: Leader, peer: Peer, args: Sequence[Any]) -> None:
        """Prepare another process for a request of the test."""
        leader()
        if peer.mediator is not None:
            peer.mediator.prepare(args, peer)

    def _explain(self, error: BaseException) -> Result:
        """Return the result for a case's exception; raises Ended if no other case can pass."""
        if (broken := self._of_borders()) is not None:
            raise Ended(broken)
        return self._modules.result_of(error)

    def _overlooked(self) -> BaseException | None:
        """Return a check that failed in a callback since the last case."""
        for peer in self._peers.values():
            for failure in peer.failures[self._told.get(peer, 0) :]:
                self._told[peer] = len(peer.failures)
                return failure
        return None

    def _of_borders(self) -> Result | None:
        """Return the result if a process broke the border or a check failed in a callback."""
        for role, peer in self._peers.items():
            if peer.is_deserted:
                raise Gone(f"the {role} has ended")
            if peer.broken is not None:
                return result_of("error", f"the {role}'s process: {peer.broken}")
            for failure in peer.failures:
                return self._modules.result_of(failure)
        return None

    # --- a call -----------------------------------------------------------------------------------

    def _call(self) -> Result:
        """Call the subject, which is executed here: a call judges nothing.

        So all that it could forge is its own answer.
        """
        text = self._content["arguments"]
        arguments: dict[str, Any] = json.loads(text) if text else {}
        self._modules.execute_all()
        name = self._content["subject"]
        offered = self._modules.namespaces[name].offered
        if name not in offered:
            raise Ended(_undefined(name))
        self._output.loaded()
        args, kwargs = arguments.get("args", ()), arguments.get("kwargs", {})
        # In one step, as a value may be of the user's classes.
        result: Result = self._modules.call(
            lambda: self._as_result(offered[name](*args, **kwargs), "returned")
        )
        return result

    def _as_result(self, value: object, verb: str) -> Result:
        name, most = self._content["subject"], self._content["limits"]["result_bytes"]
        return json_result(value, name, verb, most)


def _undefined(subject: str) -> Result:
    return result_of("error", f"does not define {subject}", subject)


def _are_of(given: dict[Any, Any], modules: Collection[str], kind: type = dict) -> bool:
    """Return whether the keys are these modules, and all values are of this type."""
    return given.keys() == {*modules} and all(type(each) is kind for each in given.values())


def _are_names(given: dict[Any, Any], modules: Collection[str]) -> bool:
    return _are_of(given, modules, list) and all(
        {str}.issuperset(map(type, names)) for names in given.values()
    )


# --- what is returned -----------------------------------------------------------------------------


def _is_plain_data(annotation: str) -> bool:
    """Return whether an annotation in source form contains only plain types."""
    try:
        return _is_plain(ast.parse(annotation, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _is_plain(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Constant(value=value):
            return value is None or value is ...
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name):
            return name in _PLAIN_TYPES
        case ast.Subscript(value=kind, slice=parts):
            is_literal = isinstance(kind, ast.Name) and kind.id == "Literal"
            return _is_plain(kind) and (is_literal or _is_plain(parts))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(map(_is_plain, parts))
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _is_plain(left) and _is_plain(right)
    return False
