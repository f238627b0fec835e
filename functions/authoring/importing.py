"""A Python module with its tests becomes functions and drafts; nothing of it is published."""

from dataclasses import dataclass

from django.db import transaction

from functions.authoring.definitions import define_function
from functions.authoring.drafts import start_draft
from functions.errors import Complaint, Refusal, TooLarge, refuse_all
from functions.importing import Plan, PlannedFunction, names_asked_for, plan_import
from functions.models import Function, Implementation, Test
from functions.naming import name_key
from functions.permissions import require_account
from functions.querysets import living_functions
from functions.sources import LARGEST_SOURCE_BYTES, check_text
from runner.registry import Actor
from runner.sandbox import IMPORTABLE


@dataclass(frozen=True, slots=True)
class Imported:
    """A function with the drafts that an import made for it."""

    function: Function
    is_new: bool
    implementation: Implementation
    tests: tuple[Test, ...]


def read_plan(*, module: str, tests: str) -> Plan:
    """Return what an import of this would make; refuses what none can be made of."""
    for field, text in (("module", module), ("tests", tests)):
        _check(text, field)
    functions = living_functions(names_asked_for(module, tests))
    known = {key: function.name for key, function in functions.items()}
    return plan_import(module, tests, known=known, importable=IMPORTABLE)


@transaction.atomic
def import_module(*, actor: Actor, module: str, tests: str) -> list[Imported]:
    """Make everything that the plan says, or nothing: functions that are missing, and drafts."""
    require_account(actor)
    # In one order everywhere: names are locked as functions are defined.
    planned = sorted(
        read_plan(module=module, tests=tests).functions, key=lambda one: name_key(one.name)
    )
    functions = living_functions(name_key(one.name) for one in planned)
    missing = [one for one in planned if name_key(one.name) not in functions]
    for one in missing:
        functions[name_key(one.name)] = _define(actor, one)
    return [
        _begin(actor, functions[name_key(one.name)], one, is_new=one in missing) for one in planned
    ]


def _define(actor: Actor, planned: PlannedFunction) -> Function:
    try:
        return define_function(
            actor=actor,
            name=planned.name,
            signature=planned.signature,
            description=planned.description,
        )
    except Refusal as refusal:
        # It is about a name in a field of its own; here it stands in a line.
        said = f"Line {planned.line}: {refusal.message}"
        refusal.errors = [Complaint("module", refusal.code, said, planned.line)]
        raise


def _begin(actor: Actor, function: Function, planned: PlannedFunction, *, is_new: bool) -> Imported:
    return Imported(
        function,
        is_new,
        start_draft(actor=actor, function=function, model=Implementation, code=planned.code),
        tuple(
            start_draft(
                actor=actor, function=function, model=Test, code=test.code, title=test.title
            )
            for test in planned.tests
        ),
    )


def _check(text: str, field: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LARGEST_SOURCE_BYTES:
        said = f"This has {size:,} bytes, and {LARGEST_SOURCE_BYTES:,} is the most that is taken."
        raise TooLarge("too_large", f"{said} Import it in several steps.", field=field)
    check_text(text, field=field)
    if field == "module" and not text.strip():
        refuse_all([Complaint(field, "nothing_to_import", "There is no code to import.")])
