"""The subject and the aide: execute their modules, and serve the judge's requests."""

from __future__ import annotations

import contextlib
from types import FunctionType
from typing import Any

from runner.sandbox.border.peer import Peer
from runner.sandbox.border.protocol import Channel, Gone
from runner.sandbox.border.states import SharedClasses
from runner.sandbox.language.importable import IMPORTABLE
from runner.sandbox.process.modules import Ended, Modules
from runner.sandbox.process.output import Output
from runner.sandbox.process.surroundings import Follower
from runner.sandbox.supervisor.protocol import Content


def run(content: Content, output: Output, channel: Channel) -> None:
    """Execute the modules, then serve the judge's requests until it has ended."""
    modules = Modules(content, output)

    def observe(error: BaseException) -> None:
        if type(error) is MemoryError and not error.args:
            output.exhausted()
        modules.describe(error)

    offered: dict[str, Any] = {}
    values: dict[str, dict[str, Any]] = {}  # by module and name
    try:
        modules.execute_all()
    except Ended as ended:
        offered["result"] = ended.result
    else:
        values = {name: modules.namespaces[name].offered for name in content["offers"]}
        # Functions and namesakes as objects, everything else by name only: a class takes long to
        # describe, and most tests use no other than the one they test.
        offered["names"] = {
            giver: {n: v for n, v in names.items() if type(v) is FunctionType or n == giver}
            for giver, names in values.items()
        }
        offered["others"] = {
            giver: [n for n in names if n not in offered["names"][giver]]
            for giver, names in values.items()
        }
    shared = SharedClasses({n: modules.namespaces[n].globals for n in content["shared"]})
    follower = Follower()

    def part(name: str, wanted: dict[str, list[str]] | None = None) -> Any:
        """Return another part of the offer by its name; "finish" sends the rest of the output."""
        if name == "finish":
            return output.finish()
        if wanted:
            return {giver: {n: values[giver][n] for n in names} for giver, names in wanted.items()}
        return {"follower": follower, "shared": shared}[name]

    offered["part"] = part
    peer = Peer(channel, modules=IMPORTABLE, observe=observe, shared=shared)
    peer.offer(offered)
    with contextlib.suppress(Gone):
        peer.serve()
