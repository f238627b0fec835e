"""Synchronous calls of functions' current implementations."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from functions.analysis.client import read_literals
from functions.calls.pins import PinnedVersions, current_versions, pinned_versions
from functions.calls.quota import check_calls, count_call
from functions.collections.declared_items import read_items, reads_of
from functions.errors import Conflict, Refusal, TooLarge, TooOften, Unavailable
from functions.kinds import KINDS
from functions.permissions import require_account
from runner.calls import (
    Busy,
    CallRequest,
    CallServerUnavailable,
    RateLimited,
    SourcesMissing,
    run_call,
)
from runner.programs.program import ModuleRow, module_row, source_hash
from runner.registry import Actor
from runner.sandbox import Outcome, Refused, SandboxBroken

log = logging.getLogger(__name__)

MAX_ARGUMENTS_BYTES = 1024 * 1024
MAX_ARGUMENTS_DEPTH = 100
MAX_SHOWN_CHARACTERS = 20_000
VISITORS = "visitors"  # the owner of calls without an account

# Wraps the called function: returns the truncated repr of its value, and the full repr's length.
_WRAPPER = """\
def {wrapper}({parameters}):
    shown = repr({name}({arguments}))
    return [shown[:{most}], len(shown)]
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A finished call: the versions used, and the outcome.

    `applied` tells whether it has made changes of items, if it was to.
    """

    versions: PinnedVersions
    outcome: Outcome
    applied: bool | None = None


def call_function(*, actor: Actor, name: str, arguments: Mapping[str, Any], lock: str = "") -> Call:
    """Call the function with JSON arguments; the outcome's value is JSON.

    The items of the collections that the function declares are further arguments, by name.

    With a `lock`, the implementations that it pins are called, else the current ones. Must not be
    called in a transaction. Nothing is stored.
    """
    user = require_account(actor)
    check_arguments(arguments)
    versions = pinned_versions(name, lock) if lock else current_versions(name)
    if why_not := KINDS[versions.closure[-1].kind].not_callable:
        raise Conflict("not_callable", str(why_not) % {"name": versions.name})
    check_calls(user.pk)
    given = dict(arguments)
    if items := _items_for(user, versions):
        given["kwargs"] = {**items, **given.get("kwargs", {})}
        check_arguments(given)
    request = CallRequest(str(user.pk), versions.rows, versions.name, given)
    return Call(versions, run(request, versions, user.pk))


def try_function(*, actor: Actor, name: str, text: str) -> Call:
    """Call the current implementation with arguments as typed by a user.

    The outcome's value is [repr of the result, truncated to MAX_SHOWN_CHARACTERS, full length].
    Visitors share one owner's part of the processes.
    """
    if actor.pk is not None:
        check_calls(actor.pk)
    owner = str(actor.pk or VISITORS)
    literals = read_literals(text, owner=owner)
    versions = current_versions(name)
    items = _items_for(actor, versions)
    typed = literals.get("json", {})
    names = "*args, **kwargs" if typed else "**kwargs"
    source, row = wrap(
        versions,
        _WRAPPER,
        parameters=names,
        arguments=", ".join(filter(None, [literals.get("source", ""), names])),
        most=MAX_SHOWN_CHARACTERS,
    )
    request = CallRequest(
        owner=owner,
        modules=(*versions.rows, row),
        subject=row[0],
        arguments={**typed, "kwargs": {**items, **typed.get("kwargs", {})}},
        sources={row[1]: source},
    )
    return Call(versions, run(request, versions, actor.pk))


def _items_for(actor: Actor, versions: PinnedVersions) -> dict[str, Any]:
    """Return the items of the collections that the called function declares, by variable."""
    reads = reads_of(versions.closure[-1].implementation)
    return read_items(actor, versions.name, reads) if reads else {}


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that are too large, or nested too deeply."""
    try:
        text = json.dumps(arguments)
        is_deep = text.count("[") + text.count("{") > MAX_ARGUMENTS_DEPTH and _is_deep(arguments)
    except RecursionError:
        text, is_deep = "", True
    if is_deep:
        message = _("The arguments are nested more than %(limit)s levels deep.") % {
            "limit": MAX_ARGUMENTS_DEPTH
        }
        raise Refusal("invalid_arguments", message, field="args")
    if len(text) > MAX_ARGUMENTS_BYTES:
        message = _("The arguments have %(size)s bytes; the limit is %(limit)s.") % {
            "size": f"{len(text):,}",
            "limit": f"{MAX_ARGUMENTS_BYTES:,}",
        }
        raise TooLarge("too_large", message, field="args")


def _is_deep(arguments: Mapping[str, Any]) -> bool:
    level: list[Any] = [arguments]
    for _depth in range(MAX_ARGUMENTS_DEPTH):
        items = [list(one.values()) if isinstance(one, Mapping) else one for one in level]
        level = [one for item in items for one in item if isinstance(one, dict | list)]
    return bool(level)


def wrap(versions: PinnedVersions, template: str, **given: Any) -> tuple[str, ModuleRow]:
    """Return the source and the row of a module that calls the function.

    The template has fields for its own name, that of the function, and those given.
    """
    taken = {version.name for version in versions.closure}
    wrapper = "call"
    while wrapper in taken:
        wrapper += "_"
    source = template.format(wrapper=wrapper, name=versions.name, **given)
    return source, module_row(wrapper, source_hash(source), [versions.name])


def run(request: CallRequest, versions: PinnedVersions, user_id: int | None) -> Outcome:
    """Return the outcome of a call, which is counted for this account."""
    outcome = _outcome(request, versions)
    if user_id is not None:
        count_call(user_id, outcome.cpu_us)
    return outcome


def _outcome(request: CallRequest, versions: PinnedVersions) -> Outcome:
    try:
        try:
            return _call_once(request)
        except SourcesMissing as missing:
            sources = {**request.sources, **versions.load_sources(missing.hashes)}
            return _call_once(replace(request, sources=sources))
    except Busy as busy:
        if busy.own:
            message = _("Your other calls are still running; wait until one has ended.")
            raise TooOften(message, retry_after_seconds=1) from busy
        message = _("All slots for calls are in use. Try again.")
        raise Unavailable("calls_busy", message) from busy
    except RateLimited as reached:
        message = _("You have made %(count)s calls in this minute; wait a while.") % {
            "count": f"{settings.CALLS_PER_MINUTE:,}"
        }
        raise TooOften(message, retry_after_seconds=reached.retry_after_seconds) from reached
    except Refused as refused:
        raise Refusal("invalid_arguments", f"{refused}.", field="args") from refused
    except (CallServerUnavailable, SandboxBroken, SourcesMissing) as error:
        log.warning("call of %s failed: %s", versions.name, error)
        message = _(
            "Calls are unavailable right now, which is not the function's fault. Try again soon."
        )
        raise Unavailable("calls_away", message) from error


def _call_once(request: CallRequest) -> Outcome:
    # Release the database connection for the duration of the call.
    if not connection.in_atomic_block:
        connection.close()
    return run_call(request)
