"""The process of an implementation, or of what else a test names: executes it, and answers."""

from __future__ import annotations

from typing import Any

from runner.sandbox.border.channel import Channel, Gone
from runner.sandbox.border.peer import Peer
from runner.sandbox.border.shared import SharedClasses
from runner.sandbox.language.environment import CROSSING_MODULES
from runner.sandbox.process.modules import (
    Ended,
    Modules,
    is_out_of_memory,
    offered_names,
)
from runner.sandbox.process.output import Output
from runner.sandbox.process.surroundings import Follower
from runner.sandbox.supervisor.protocol import Content

# By these names, what the judge finds in what it fetches first.
RESULT, NAMES, PART = "result", "names", "part"


def run(content: Content, output: Output, channel: Channel) -> None:
    """Execute the modules, then answer the judge until it has gone."""
    modules = Modules(content, output)

    def observe(error: BaseException) -> None:
        if is_out_of_memory(error):
            output.exhausted()
        modules.describe(error)

    offered = _load(modules, content)
    shared = SharedClasses({n: modules.namespaces[n].globals for n in content["shared"]})
    follower = Follower()

    def part(name: str) -> Any:
        """Return what the judge needs beside the names; "finish" sends what has been printed."""
        if name == "finish":
            return output.finish()
        return {"follower": follower, "shared": shared}[name]

    offered[PART] = part
    peer = Peer(channel, modules=CROSSING_MODULES, observe=observe, shared=shared)
    peer.offer(offered)
    try:
        peer.serve()
    except Gone:
        return


def _load(modules: Modules, content: Content) -> dict[str, Any]:
    try:
        modules.execute_all()
    except Ended as ended:
        return {RESULT: ended.result}
    return {NAMES: offered_names(modules, content["offers"])}
