"""Places the modules of a program in the processes of its run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from runner.sandbox.programs import Module, Program
from runner.sandbox.supervisor.protocol import Content, Role


class Placement(NamedTuple):
    """A process's modules, in the program's order; the judge needs the names of `offers`."""

    role: Role
    modules: tuple[Module, ...]
    offers: tuple[str, ...] = ()


def place(program: Program) -> list[Placement]:
    """Return the placements of the judge, the subject and, if needed, an aide.

    The subject process gets the closure of the program's subject, and those of other modules bound
    by the test that depend on it. The aide gets the closures of the test's remaining modules.
    Modules in both closures are executed in both processes. A script or a call needs a judge only.
    """
    modules = {module.name: module for module in program.modules}
    if program.entry in ("script", "call"):
        return [Placement(Role.JUDGE, program.modules)]
    if program.entry != "test":
        return [
            Placement(Role.JUDGE, ()),
            Placement(Role.SUBJECT, program.modules, (program.subject,)),
        ]
    test = program.modules[-1]
    closures = {name: _closure(name, modules) for name in {*test.binds, program.subject}}
    judged = [name for name, closure in closures.items() if program.subject in closure]
    others = [name for name in closures if name not in judged]
    parts = [Placement(Role.JUDGE, (test,))]
    for role, names in ((Role.SUBJECT, judged), (Role.AIDE, others)):
        wanted = {each for name in names for each in closures[name]}
        if wanted:
            placed = tuple(module for module in program.modules if module.name in wanted)
            offers = tuple(module.name for module in placed if module.name in names)
            parts.append(Placement(role, placed, offers))
    return parts


def content_of(
    program: Program, placements: Sequence[Placement], place: int, codes: Sequence[bytes | None]
) -> Content:
    """Return the content for the process at this place; `began` and `token` are set by the run."""
    role, modules, offers = placements[place]
    is_judge = role is Role.JUDGE
    _, *others = placements
    executed = Counter(module.name for other in others for module in other.modules)
    return Content(
        role=role.value,
        token=b"",
        began=0.0,
        modules=[
            (module.name, module.source, module.binds, code)
            for module, code in zip(modules, codes, strict=True)
        ],
        given=[list(other.offers) for other in others] if is_judge else [],
        offers=list(offers),
        shared=[name for name, count in executed.items() if count > 1],
        names=[module.name for module in program.modules],
        entry=program.entry,
        kind=program.kind,
        subject=program.subject,
        returns=program.returns if is_judge else "",
        limits=program.limits.by_name,
        seed=program.seed,
        arguments=json.dumps(dict(program.arguments)) if is_judge and program.arguments else "",
    )


def _closure(name: str, modules: dict[str, Module]) -> set[str]:
    found: set[str] = set()
    pending = [name]
    while pending:
        each = pending.pop()
        if each not in found:
            found.add(each)
            pending += modules[each].binds
    return found
