"""Imports a Python module with its tests as functions and drafts, without publishing."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from functions.analysis.client import names_to_look_up, plan_import
from functions.authoring.definitions import define_function
from functions.authoring.drafts import start_draft
from functions.errors import Complaint, Refusal, TooLarge, refuse_all
from functions.graph.queries import living_functions
from functions.models import Function, Implementation, Test, Work
from functions.module_import import Plan, PlannedFunction
from functions.names import name_key
from functions.people.quotas import DRAFTS, FUNCTIONS, charge
from functions.permissions import require_account
from functions.source.validation import MAX_SOURCE_BYTES, check_text
from runner.programs.program import source_hash
from runner.quotas import unlimited
from runner.registry import Actor


@dataclass(frozen=True, slots=True)
class Imported:
    """A function with the drafts that an import created."""

    function: Function
    is_new: bool
    implementation: Implementation | None  # None if it is published already
    tests: tuple[Test, ...]


def read_plan(*, actor: Actor, module: str, tests: str) -> Plan:
    """Return the plan of an import. Raises a Refusal if there is none."""
    owner = str(require_account(actor).pk)
    for field, text in (("module", module), ("tests", tests)):
        _check(text, field)
    functions = living_functions(names_to_look_up(module, tests, owner=owner))
    known = {key: function.name for key, function in functions.items()}
    plan = plan_import(module, tests, known=known, owner=owner)
    return _without_published(plan)


def import_module(*, actor: Actor, module: str, tests: str) -> list[Imported]:
    """Create all missing functions and drafts of an import's plan, or none."""
    plan = read_plan(actor=actor, module=module, tests=tests)
    # In the same order everywhere, as defining functions locks their names.
    return _make(actor, sorted(plan.functions, key=lambda one: name_key(one.name)))


@transaction.atomic
def _make(actor: Actor, planned: list[PlannedFunction]) -> list[Imported]:
    functions = living_functions(name_key(one.name) for one in planned)
    missing = [one for one in planned if name_key(one.name) not in functions]
    drafts = sum(len(one.tests) + (not one.is_published) for one in planned)
    charge(require_account(actor), {FUNCTIONS: len(missing), DRAFTS: drafts})
    with unlimited():
        for one in missing:
            functions[name_key(one.name)] = _define(actor, one)
        return [
            _begin(actor, functions[name_key(one.name)], one, is_new=one in missing)
            for one in planned
        ]


def _without_published(plan: Plan) -> Plan:
    """Drop works that are published already with the same source."""
    implementations = _find_published(Implementation, plan, [one.code for one in plan.functions])
    codes = [test.code for one in plan.functions for test in one.tests]
    tests = _find_published(Test, plan, codes)
    notes = []
    for one in plan.functions:
        key = name_key(one.name)
        one.is_published = (key, source_hash(one.code)) in implementations
        new = [test for test in one.tests if (key, source_hash(test.code)) not in tests]
        if one.is_published:
            message = _("This implementation of %(name)s is published already.")
            notes.append(message % {"name": one.name})
        if published := len(one.tests) - len(new):
            message = ngettext(
                "%(count)s of the tests of %(name)s are published already.",
                "%(count)s of the tests of %(name)s are published already.",
                published,
            )
            notes.append(message % {"count": published, "name": one.name})
        one.tests = new
    functions = tuple(one for one in plan.functions if one.tests or not one.is_published)
    return replace(plan, functions=functions, notes=(*plan.notes, *notes))


def _find_published(
    model: type[Implementation] | type[Test], plan: Plan, codes: Iterable[str]
) -> set[tuple[str, bytes]]:
    """Return the published ones of these sources, as (function name key, hash)."""
    works: Any = model.objects
    published = works.filter(
        function__name_key__in=[name_key(one.name) for one in plan.functions],
        function__deleted_at=None,
        state=Work.State.PUBLISHED,
        source_sha256__in=[source_hash(code) for code in codes],
    )
    rows = published.values_list("function__name_key", "source_sha256")
    return {(name, bytes(sha256)) for name, sha256 in rows}


def _define(actor: Actor, planned: PlannedFunction) -> Function:
    try:
        return define_function(
            actor=actor,
            name=planned.name,
            signature=planned.signature,
            description=planned.description,
        )
    except Refusal as refusal:
        # The refusal is about the field `name`; here the name is in a line of the module.
        place = {"line": planned.line, "message": refusal.message}
        message = _("Line %(line)s: %(message)s") % place
        refusal.errors = [Complaint("module", refusal.code, message, planned.line)]
        raise


def _begin(actor: Actor, function: Function, planned: PlannedFunction, *, is_new: bool) -> Imported:
    return Imported(
        function,
        is_new,
        None
        if planned.is_published
        else start_draft(actor=actor, function=function, model=Implementation, code=planned.code),
        tuple(
            start_draft(
                actor=actor, function=function, model=Test, code=test.code, title=test.title
            )
            for test in planned.tests
        ),
    )


def _check(text: str, field: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_SOURCE_BYTES:
        sentences = {
            "module": _(
                "The module field has %(size)s bytes; the limit is %(limit)s. "
                "Import it in several steps."
            ),
            "tests": _(
                "The tests field has %(size)s bytes; the limit is %(limit)s. "
                "Import it in several steps."
            ),
        }
        message = sentences[field] % {"size": f"{size:,}", "limit": f"{MAX_SOURCE_BYTES:,}"}
        raise TooLarge("too_large", message, field=field)
    check_text(text, field=field)
    if field == "module" and not text.strip():
        refuse_all([Complaint(field, "nothing_to_import", _("The module has no code."))])
