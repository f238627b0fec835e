"""The process of a test, which alone reports cases and the result."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from runner.sandbox.border.channel import Channel, Gone
from runner.sandbox.border.errors import catches_failures
from runner.sandbox.border.peer import Peer
from runner.sandbox.border.proxy_classes import expect_plain
from runner.sandbox.border.shared import Mediator
from runner.sandbox.language.environment import CROSSING_MODULES
from runner.sandbox.process.annotation import is_plain_data
from runner.sandbox.process.case import called
from runner.sandbox.process.cases import result_of_cases
from runner.sandbox.process.json_values import Inexpressible, as_text, from_text
from runner.sandbox.process.modules import Ended, Modules
from runner.sandbox.process.output import Output
from runner.sandbox.process.surroundings import Leader
from runner.sandbox.report.results import Result, result_of
from runner.sandbox.supervisor.protocol import (
    LONGEST_MESSAGE,
    TOKEN_BYTES,
    Content,
    Hostile,
    Role,
    decode_result,
)

_OTHERS = (Role.SUBJECT, Role.AIDE)
_WORD = re.compile(r"\w+")
# By these, a test gets names that it doesn't have to write.
_LISTING = frozenset(
    """
    __dict__ __import__ compile dir doctest eval exec globals importlib inspect locals modules vars
    """.split()
)


def run(content: Content, output: Output, channels: Sequence[Channel]) -> Result | None:
    """Return the result, None for passed; raises Gone where another process has ended.

    Anything else that it raises is a fault of ours.
    """
    return _Judge(content, output, channels).run()


class _Judge:
    def __init__(self, content: Content, output: Output, channels: Sequence[Channel]) -> None:
        self._content = content
        self._output = output
        self._modules = Modules(content, output)
        is_strict = content["kind"] == "function"
        self._mediator = Mediator()
        is_shared = bool(content["shared"])
        self._peers = [
            Peer(
                channel,
                modules=CROSSING_MODULES,
                is_judge=True,
                is_strict=is_strict,
                mediator=self._mediator if is_shared else None,
            )
            for channel in channels
        ]
        # Of each other process, what gives the parts of it that aren't the program's.
        self._parts: list[tuple[Peer, Any]] = []
        self._told: dict[Peer, int] = {}  # how many failures have been

    def run(self) -> Result | None:
        try:
            value = self._run()
        except Ended as ended:
            result: Result | None = ended.result
        else:
            result = None if value is None else result_of("passed", value=value)
        for _, part in self._parts:
            # So that what they have printed is sent; that they can't is told below.
            with contextlib.suppress(Ended):
                self._modules.call(part, "finish")
        return self._of_borders() or result

    def _run(self) -> Any:
        subject = self._content["subject"]
        if self._content["entry"] == "script":
            *others, script = self._modules.namespaces
            for name in others:
                self._modules.execute(name)
            self._modules.execute_script(script)
            return None
        given: dict[str, dict[str, Any]] = {}
        parts = [*zip(_OTHERS, self._peers, self._content["given"], strict=False)]
        # The aide's classes are known before the subject tells of its own.
        for role, peer, wanted in reversed(parts):
            given |= self._fetch(role, peer, wanted)
        self._check_given(given)
        self._output.loaded()
        if is_plain_data(self._content["returns"]):
            expect_plain(given[subject][subject], self._content["returns"])
        match self._content["entry"]:
            case "test":
                self._test(given)
            case "call":
                return self._call(given[subject][subject])
        return None

    def _check_given(self, given: dict[str, dict[str, Any]]) -> None:
        """Raise Ended where the names aren't what a test can be run with."""
        subject = self._content["subject"]
        if subject not in given[subject]:
            message = f"does not define {subject}"
            raise Ended(result_of("error", message, subject))
        for giver in self._content["given"][0]:
            names = given[giver]
            if broad := next((n for n, value in names.items() if catches_failures(value)), None):
                message = f"{broad} is a base of AssertionError, so it would catch failed checks"
                raise Ended(result_of("error", message, giver))
        if self._content["kind"] == "class" and not isinstance(given[subject][subject], type):
            raise Ended(result_of("error", f"{subject} is no class", subject))

    def _fetch(self, role: str, peer: Peer, wanted: list[str]) -> dict[str, dict[str, Any]]:
        """Return the names that another process defines, by module."""
        offered = self._modules.call(peer.fetch, 1)
        match offered:
            case {"names": dict(names), "others": dict(others), "part": part} if _are_of(
                names, wanted
            ) and _are_names(others, wanted):
                self._parts.append((peer, part))
                if peer.mediator is not None:
                    shared = self._modules.call(part, "shared")
                    peer.mediator.add(peer, shared, is_trusted=role == Role.AIDE)
                if named := self._named(others):
                    found = self._modules.call(part, "others", named)
                    if type(found) is dict and _are_of(found, named):
                        return {giver: names[giver] | found.get(giver, {}) for giver in names}
                else:
                    return names
            case {"result": dict(result)}:
                raise Ended(self._checked(result))
        raise Ended(result_of("error", f"the {role}'s process offered nonsense"))

    def _named(self, names: dict[str, list[str]]) -> dict[str, list[str]]:
        """Return those of the names that the test may mean, by module."""
        text = "".join(module.source for module in self._modules.namespaces.values())
        words = {*_WORD.findall(text)}
        if not text.isascii() or not _LISTING.isdisjoint(words):
            named = names
        else:
            named = {giver: [*filter(words.__contains__, each)] for giver, each in names.items()}
        return {giver: each for giver, each in named.items() if each}

    def _checked(self, result: Result) -> Result:
        """Return what another process says of its end; it may say that of none but its modules."""
        body = bytes(TOKEN_BYTES) + json.dumps(result).encode()
        try:
            decoded = decode_result(body, bytes(TOKEN_BYTES), {*self._content["names"]})
        except (Hostile, ValueError, TypeError):
            return result_of("error", "its process told a result that can't be one")
        if decoded.verdict == "passed":
            return result_of("error", "its process told a result that can't be one")
        return result

    def _test(self, given: dict[str, dict[str, Any]]) -> None:
        *_, test = self._modules.namespaces.values()
        for giver in self._content["names"]:
            if giver in given:
                self._modules.give(giver, given[giver], skip=given.keys() - {giver})
        leader = Leader(test.source)
        for peer, part in self._parts:
            self._modules.call(leader.lead, part)
            peer.before = partial(self._lead, leader, peer)
            peer.results.is_begun = True
        self._modules.execute(test.name)
        own = {n: called(n, test.globals[n]) for n in test.own if n in test.globals}
        result = self._modules.call(
            result_of_cases,
            test.globals["__name__"],
            own,
            self._explain,
            self._output.case,
            self._overlooked,
        )
        if result is not None:
            raise Ended(result | {"module": result["module"] or test.name})

    @staticmethod
    def _lead(leader: Leader, peer: Peer, args: Sequence[Any]) -> None:
        """Have another process be as the test expects, before it is asked for anything."""
        leader()
        if peer.mediator is not None:
            peer.mediator.prepare(args, peer)

    def _explain(self, error: BaseException) -> Result:
        """Return the result of a case's exception; raises Ended where no further case can pass."""
        if (broken := self._of_borders()) is not None:
            raise Ended(broken)
        return self._modules.result_of(error)

    def _overlooked(self) -> BaseException | None:
        """Return a check that failed in a callback since the last case."""
        for peer in self._peers:
            for failure in peer.failures[self._told.get(peer, 0) :]:
                self._told[peer] = len(peer.failures)
                return failure
        return None

    def _call(self, subject: Any) -> Any:
        text = self._content["arguments"]
        arguments: dict[str, Any] = json.loads(text) if text else {}
        name = self._content["subject"]
        args, kwargs = arguments.get("args", ()), arguments.get("kwargs", {})
        returned = self._modules.call(subject, *args, **kwargs)
        try:
            text = as_text(returned)
            most = self._content["limits"]["result_bytes"]
            if len(text) > most:
                message = f"{name} returned {len(text):,} bytes of JSON, {most:,} are allowed"
                raise Ended(result_of("output_limit", message, name))
            return from_text(text)
        except Inexpressible as error:
            message = f"{name} returned what JSON can't express: {error}"
            raise Ended(result_of("error", message[:LONGEST_MESSAGE], name)) from None

    def _of_borders(self) -> Result | None:
        """Return the result where a process has told nonsense, or failed a check in a callback."""
        for role, peer in zip(_OTHERS, self._peers, strict=False):
            if peer.is_deserted:
                raise Gone(f"the {role} has ended")
            if peer.broken is not None:
                return result_of("error", f"the {role}'s process: {peer.broken}")
            for failure in peer.failures:
                return self._modules.result_of(failure)
        return None


def _are_of(given: dict[Any, Any], modules: Collection[str], kind: type = dict) -> bool:
    """Tell whether these are of these modules, and for each something of this type."""
    return given.keys() == {*modules} and all(type(each) is kind for each in given.values())


def _are_names(given: dict[Any, Any], modules: Collection[str]) -> bool:
    return _are_of(given, modules, list) and all(
        {str}.issuperset(map(type, names)) for names in given.values()
    )
