"""The process of a test, which alone reports cases and the result."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from runner.sandbox.border.channel import Channel, Gone
from runner.sandbox.border.errors import catches_failures
from runner.sandbox.border.peer import Peer
from runner.sandbox.border.proxies import expect_plain
from runner.sandbox.border.shared import Mediator
from runner.sandbox.language.environment import CROSSING_MODULES
from runner.sandbox.language.namespace import is_public_name
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
_TOO_WIDE = "`{}` would catch the test's own failed checks: define an exception for it"


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
        if subject not in given[subject]:
            message = f"does not define {subject}"
            raise Ended(result_of("error", message, subject))
        if self._content["kind"] == "class" and not isinstance(given[subject][subject], type):
            raise Ended(result_of("error", f"{subject} is no class", subject))
        self._output.loaded()
        if is_plain_data(self._content["returns"]):
            expect_plain(given[subject][subject], self._content["returns"])
        match self._content["entry"]:
            case "test":
                self._test(given)
            case "call":
                return self._call(given[subject][subject])
        return None

    def _fetch(self, role: str, peer: Peer, wanted: list[str]) -> dict[str, dict[str, Any]]:
        """Return the names that another process defines, by module."""
        offered = self._modules.call(peer.fetch, 1)
        match offered:
            case {"names": dict(names), "part": part} if _are_of(names, wanted):
                names = {of: self._receivable(offered, role) for of, offered in names.items()}
                self._parts.append((peer, part))
                if peer.mediator is not None:
                    shared = self._modules.call(part, "shared")
                    peer.mediator.add(peer, shared, is_trusted=role == Role.AIDE)
                return names
            case {"result": dict(result)}:
                raise Ended(self._checked(result))
        raise Ended(result_of("error", f"the {role}'s process offered nonsense"))

    def _receivable(self, names: dict[Any, Any], role: str) -> dict[str, Any]:
        """Return what a test receives of the names that another process says a module offers.

        An exception of the subject's is none that would catch the test's own failed checks.
        """
        *_, test = self._modules.namespaces.values()
        received = {name: thing for name, thing in names.items() if is_public_name(name)}
        if role == Role.SUBJECT:
            for name in [n for n, thing in received.items() if catches_failures(thing)]:
                del received[name]
                test.withheld[name] = _TOO_WIDE.format(name)
        return received

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
            raise Ended(result)

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


def _are_of(names: dict[Any, Any], modules: Sequence[str]) -> bool:
    """Tell whether these are names of these modules, whatever they mean."""
    return names.keys() == {*modules} and all(type(each) is dict for each in names.values())
