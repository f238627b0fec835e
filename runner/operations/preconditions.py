"""Preconditions of a process of the site; each refusal to start comes with its cure.

While PostgreSQL doesn't answer, only the settings are checked: processes that start together with
it wait for it instead, and /readyz tells what is wrong.
"""

import logging
import time
from collections.abc import Iterator

import psycopg
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from runner.operations.schema import pending_migrations
from runner.sandbox.interpreter import INTERPRETER, SETTING

log = logging.getLogger(__name__)

# Sessions, tokens and signatures end by the machine's clock, other things by the database's.
TOLERATED_CLOCK_SECONDS = 5.0
REFUSED_CLOCK_SECONDS = 30.0
# Connections left for `manage.py`, backups and people.
SPARE_CONNECTIONS = 5

_CONNECTIONS = """
    select least(
        current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int
            - current_setting('reserved_connections')::int,
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)
    )
"""


_POOLER = (
    "DATABASE_URL leads to a pooler such as PgBouncer, which does not pass on the time limits that"
    " the site sets for its sessions. Point it at PostgreSQL itself: each process has a pool of its"
    " own, and needs 10 connections at most."
)


class Unfit(Exception):
    """Raised if a process may not start; the message has the reason and the cure."""


def check_preconditions(*, uses_database: bool = True) -> None:
    """Raise Unfit if this process may not start."""
    refusals = [*_secret_key(), *_interpreter()]
    if uses_database:
        try:
            refusals += [*_session(), *_migrations(), *_clock(), *_connections()]
        except (OperationalError, InterfaceError) as error:
            if _refuses_parameters():
                raise Unfit(_POOLER) from error
            log.warning("PostgreSQL doesn't answer, so only settings were checked: %s", error)
        finally:
            connection.close()
    if refusals:
        raise Unfit("\n".join(refusals))


def _secret_key() -> Iterator[str]:
    if settings.HAS_OWN_SECRET_KEY and not settings.DEVELOPMENT:
        yield (
            "SECRET_KEY is not set, and all processes of a site need the same one. Make it once"
            " with `python3 -c 'import secrets; print(secrets.token_urlsafe(64))'` (or take that of"
            f" {settings.SECRET_KEY_FILE}, which keeps sessions) and set it for every process."
        )


def _interpreter() -> Iterator[str]:
    if INTERPRETER.problem:
        yield f"The Python that runs programs ({SETTING}) can't be used: {INTERPRETER.problem}."


def _session() -> Iterator[str]:
    """Check that the settings of a session arrive, which no pooler between passes on."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select count(*) from pg_settings where source = 'client' and name = any(%s)",
            [list(settings.SESSION)],
        )
        if cursor.fetchone()[0] < len(settings.SESSION):
            yield _POOLER


def _refuses_parameters() -> bool:
    """Tell whether the other end answers, but refuses the settings of a session."""
    try:
        # Past this process's pool, which tells only that it got no connection.
        psycopg.connect(**connection.get_connection_params()).close()
    except psycopg.Error as error:
        return "unsupported startup parameter" in str(error)
    return False


def _migrations() -> Iterator[str]:
    if apps := pending_migrations():
        yield f"Migrations of {', '.join(apps)} are pending. Run `manage.py migrate`, then start."


def _clock() -> Iterator[str]:
    asked_at = time.time()
    with connection.cursor() as cursor:
        cursor.execute("select extract(epoch from clock_timestamp())::float8")
        answered = cursor.fetchone()[0]
    # Half of the time that the answer took is the way there.
    ahead_seconds = (asked_at + time.time()) / 2 - answered
    if abs(ahead_seconds) > TOLERATED_CLOCK_SECONDS:
        side = "ahead of" if ahead_seconds > 0 else "behind"
        message = (
            f"This machine's clock is {abs(ahead_seconds):.0f} s {side} that of PostgreSQL. Start a"
            " time service on both, such as systemd-timesyncd or chrony."
        )
        if abs(ahead_seconds) > REFUSED_CLOCK_SECONDS:
            yield message
        else:
            log.warning(message)


def _connections() -> Iterator[str]:
    processes = settings.WEB_PROCESSES + settings.WORKERS
    needed = processes * settings.CONNECTIONS_PER_PROCESS + SPARE_CONNECTIONS
    with connection.cursor() as cursor:
        cursor.execute(_CONNECTIONS)
        available = cursor.fetchone()[0]
    if available < needed:
        yield (
            f"PostgreSQL allows {available} connections, and {needed} are needed:"
            f" {settings.CONNECTIONS_PER_PROCESS} for each of {settings.WEB_PROCESSES} web servers"
            f" and {settings.WORKERS} workers, and {SPARE_CONNECTIONS} to spare. Raise"
            " `max_connections` (or the limit of the role or database), or lower"
            " SOCIALCODE_WEB_PROCESSES or SOCIALCODE_WORKERS to what really runs."
        )
