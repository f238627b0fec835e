"""The export of an account: a ZIP of JSON files, made and sent piece by piece.

Rows are read by their keys, a page in a query of its own. So the memory is that of one page, and
neither a transaction nor a connection is kept open for clients that read slowly.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.errors import TooOften
from functions.permissions import require_person
from functions.request_limits import ACCOUNT_EXPORTS
from runner.registry import Actor
from socialcode.accounts.personal_data.records import Record, accounts_of, installed

PAGE_ROWS = 50  # works have up to 64 KiB each
FORMAT = 1
ACCOUNT_SECRETS = ("password",)
README = """\
Everything that Social Code stores about the account {name}, as of {now:%Y-%m-%d %H:%M} UTC.
Format {format}.

account.json       the account itself
<name>.jsonl       rows of one kind: a JSON object a line, oldest first

Columns are named as in the database of Social Code, whose source explains them; those that end in
_id refer to rows by number, and a name like function__name is a column of the row referred to.
Times are in UTC, bytes in hexadecimal. Functions, implementations, tests, comments and tokens of
your agents are included. Rows were read one after the other, so what changed meanwhile may be in
one file and not yet in another. Files without rows are left out.

Files:
{files}

Not included, because they are secrets: the password, which is stored as a hash; tokens, of which
only digests are stored; keys of sessions and of second factors. Log lines of the server aren't
included either; who operates the site can say how long they are kept.

Left out, because other files have it, or because it is about others:
{left_out}
"""


class _Sink(io.RawIOBase):
    """Keeps what is written until it is taken; zipfile doesn't seek in it."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def take(self) -> bytes:
        taken, self._parts = b"".join(self._parts), []
        return taken


def export_account(*, actor: Actor) -> Iterator[bytes]:
    """Return the pieces of the ZIP of this person's account. Raises TooOften above the limit."""
    person = require_person(actor)
    if not ACCOUNT_EXPORTS.count(f"user {person.pk}"):
        raise TooOften(
            _("You may export your account %(count)s times an hour; wait a while.")
            % {"count": ACCOUNT_EXPORTS.tries},
            retry_after_seconds=ACCOUNT_EXPORTS.retry_after_seconds(),
        )
    return _pieces(person)


def export_name(person: User) -> str:
    """Return the name of the file, in characters that every system takes."""
    return f"socialcode-{timezone.now():%Y-%m-%d}-account-{person.pk}.zip"


def _pieces(person: User) -> Iterator[bytes]:
    sink = _Sink()
    now = timezone.now()
    owners = accounts_of(person)
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:

        def entry(name: str) -> Any:
            info = zipfile.ZipInfo(name, now.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            return archive.open(info, "w", force_zip64=True)

        with entry("README.txt") as file:
            file.write(_readme(person).encode())
        with entry("account.json") as file:
            file.write(_line(_account(person)))
        for record in installed():
            pages = _pages(record, owners) if record.file else iter(())
            if (page := next(pages, None)) is None:
                continue
            with entry(f"{record.file}.jsonl") as file:
                while page is not None:
                    file.write(b"".join(map(_line, page)))
                    yield sink.take()
                    page = next(pages, None)
    yield sink.take()


def _pages(record: Record, owners: Sequence[int]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of a record in pages, by primary key."""
    names = [
        field.attname
        for field in record.rows.model._meta.concrete_fields  # noqa: SLF001 - documented
        if not {field.name, field.attname} & set(record.secret)
    ]
    asked = list(dict.fromkeys([*names, *record.more]))
    rows = record.rows.filter(**{f"{record.field}__in": owners}).order_by("pk")
    after: dict[str, Any] = {}
    while page := list(rows.filter(**after).values("pk", *asked)[:PAGE_ROWS]):
        if not connection.in_atomic_block:
            connection.close()  # a slow client would hold it
        after = {"pk__gt": page[-1]["pk"]}
        yield [{name: row[name] for name in asked} for row in page]
        if len(page) < PAGE_ROWS:
            return


def _account(person: User) -> dict[str, Any]:
    fields = person._meta.concrete_fields  # noqa: SLF001 - Django's documented interface
    values = {one.attname: getattr(person, one.attname) for one in fields}
    return {name: value for name, value in values.items() if name not in ACCOUNT_SECRETS}


def _readme(person: User) -> str:
    records = list(installed())
    return README.format(
        name=person.get_username(),
        now=timezone.now(),
        format=FORMAT,
        files="\n".join(f"  {one.file}.jsonl" for one in records if one.file),
        left_out="\n".join(
            f"  {one.model}.{one.field}: {one.left_out}" for one in records if one.left_out
        ),
    )


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, cls=_Encoder, ensure_ascii=False).encode() + b"\n"


class _Encoder(DjangoJSONEncoder):
    """Also encodes bytes, which columns of digests have."""

    def default(self, o: Any) -> Any:
        return bytes(o).hex() if isinstance(o, bytes | memoryview) else super().default(o)
