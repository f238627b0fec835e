"""Runs the programs of a check in the pools of the call server, at once."""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from functions.checks.quota import count_abandoned, count_runs
from functions.errors import TooOften, Unavailable
from runner.calls import (
    Busy,
    CallServerUnavailable,
    ProgramsRequest,
    RateLimited,
    Run,
    SourcesMissing,
    run_programs,
)
from runner.programs.program import PreparedProgram
from runner.sandbox import Refused, SandboxBroken

log = logging.getLogger(__name__)

# Of a whole check; as long as its slowest run may take, twice.
CHECK_SECONDS = 20.0
# Of the forms and sources in one request; JSON may make them six times as long.
MAX_REQUEST_CHARACTERS = 2_000_000


def run_all(
    programs: Sequence[PreparedProgram], *, user_id: int, unsaved: Mapping[str, str]
) -> list[Run]:
    """Run these programs for an account, and count them; must not be called in a transaction.

    None of what there is no time for. `unsaved` are sources that nobody keeps, by hash.
    """
    began = time.monotonic()
    runs: list[Run] = []
    try:
        for part in _parts(programs):
            left = CHECK_SECONDS - (time.monotonic() - began)
            runs += _run(part, user_id, unsaved, left) if left > 0 else [None] * len(part)
    except (TooOften, Unavailable):
        count_runs(user_id, runs)
        raise
    except BaseException:
        count_abandoned(user_id, time.monotonic() - began)
        raise
    count_runs(user_id, runs)
    return runs


def _parts(programs: Iterable[PreparedProgram]) -> Iterator[list[PreparedProgram]]:
    """Yield the programs in parts that fit into a request with all of their sources."""
    part: list[PreparedProgram] = []
    size, hashes = 0, set[bytes]()
    for program in programs:
        new = {sha256: text for sha256, text in program.sources.items() if sha256 not in hashes}
        more = len(program.text) + sum(map(len, new.values()))
        if part and size + more > MAX_REQUEST_CHARACTERS:
            yield part
            part, size, hashes = [], 0, set()
            more = len(program.text) + sum(map(len, program.sources.values()))
        part.append(program)
        size += more
        hashes.update(program.sources)
    if part:
        yield part


def _run(
    programs: Sequence[PreparedProgram], user_id: int, unsaved: Mapping[str, str], seconds: float
) -> list[Run]:
    forms = [(program.key.hex(), program.text) for program in programs]
    request = ProgramsRequest(str(user_id), forms, seconds, unsaved=unsaved)
    try:
        try:
            return _run_once(request)
        except SourcesMissing as missing:
            known = {sha.hex(): text for one in programs for sha, text in one.sources.items()}
            sources = {sha256: known[sha256] for sha256 in missing.hashes}
            return _run_once(replace(request, sources=sources))
    except Busy as busy:
        if busy.own:
            message = _("Your other checks are still running; wait until one has ended.")
            raise TooOften(message, retry_after_seconds=1) from busy
        message = _("All slots for calls are in use. Try again.")
        raise Unavailable("calls_busy", message) from busy
    except RateLimited as reached:
        message = _("You have made %(count)s calls in this minute; wait a while.") % {
            "count": f"{settings.CALLS_PER_MINUTE:,}"
        }
        raise TooOften(message, retry_after_seconds=reached.retry_after_seconds) from reached
    except (CallServerUnavailable, Refused, SandboxBroken, SourcesMissing) as error:
        log.warning("a check failed: %s", error)
        message = _("Code can't be run right now. Your text is kept; try again soon.")
        raise Unavailable("calls_away", message) from error


def _run_once(request: ProgramsRequest) -> list[Run]:
    # Release the database connection meanwhile.
    if not connection.in_atomic_block:
        connection.close()
    return run_programs(request)
