"""The process of an implementation, or of what else a test names: executes it, and answers."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from runner.sandbox.border.peer import Peer
from runner.sandbox.border.protocol import Channel, Gone
from runner.sandbox.border.states import SharedClasses
from runner.sandbox.language.environment import CROSSING_MODULES
from runner.sandbox.process.modules import Ended, Modules, is_out_of_memory
from runner.sandbox.process.output import Output
from runner.sandbox.process.surroundings import Follower
from runner.sandbox.supervisor.protocol import Content

# By these names, what the judge finds in what it fetches first: functions, and what of all else the
# names are. A class takes long to describe, and most tests name none but the one that they test.
RESULT, NAMES, OTHERS, PART = "result", "names", "others", "part"

Values = dict[str, dict[str, Any]]  # by module and name


def run(content: Content, output: Output, channel: Channel) -> None:
    """Execute the modules, then answer the judge until it has gone."""
    modules = Modules(content, output)

    def observe(error: BaseException) -> None:
        if is_out_of_memory(error):
            output.exhausted()
        modules.describe(error)

    values, offered = _load(modules, content)
    shared = SharedClasses({n: modules.namespaces[n].globals for n in content["shared"]})
    follower = Follower()

    def part(name: str, wanted: dict[str, list[str]] | None = None) -> Any:
        """Return what the judge needs beside functions; "finish" sends what has been printed."""
        if name == "finish":
            return output.finish()
        if name == OTHERS and wanted:
            return {giver: {n: values[giver][n] for n in names} for giver, names in wanted.items()}
        return {"follower": follower, "shared": shared}[name]

    offered[PART] = part
    peer = Peer(channel, modules=CROSSING_MODULES, observe=observe, shared=shared)
    peer.offer(offered)
    try:
        peer.serve()
    except Gone:
        return


def _load(modules: Modules, content: Content) -> tuple[Values, dict[str, Any]]:
    try:
        modules.execute_all()
    except Ended as ended:
        return {}, {RESULT: ended.result}
    values = {name: modules.namespaces[name].offered or {} for name in content["offers"]}
    at_once = {
        giver: {n: v for n, v in names.items() if type(v) is FunctionType or n == giver}
        for giver, names in values.items()
    }
    others = {
        giver: [n for n in names if n not in at_once[giver]] for giver, names in values.items()
    }
    return values, {NAMES: at_once, OTHERS: others}
