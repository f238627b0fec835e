"""Calls of functions that ask for changes of items, which are made for the caller."""

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from functions.calls.call import Call, call_function
from functions.calls.commands import apply_commands, repeat_outdated
from runner.registry import Actor
from runner.sandbox import Verdict

COMMANDS = "commands"  # the member of the returned value that holds them


def call_and_apply(
    *, actor: Actor, name: str, arguments: Mapping[str, Any], lock: str = "", request_id: str = ""
) -> Call:
    """Call the function and make the changes that its value has as `commands`, all or none.

    Of several requests with the same id, one makes its changes. Raises a Refusal if the caller or
    the function may not make one of them. If somebody else has changed an item in between, the
    function is called again.
    """
    own_id = request_id or secrets.token_urlsafe(16)

    def act() -> Call:
        call = call_function(actor=actor, name=name, arguments=arguments, lock=lock)
        commands = _commands_of(call)
        applied = bool(commands) and apply_commands(
            actor=actor, versions=call.versions, request_id=own_id, commands=commands
        )
        return replace(call, applied=applied)

    return repeat_outdated(act)


def _commands_of(call: Call) -> list[Any]:
    value = call.outcome.value
    has_passed = call.outcome.verdict is Verdict.PASSED
    found = value.get(COMMANDS) if has_passed and isinstance(value, dict) else None
    return found if isinstance(found, list) else []
