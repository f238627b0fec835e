"""Removes the names of a deleted account from texts that rows keep."""

import re

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection

from functions.models import Flag
from socialcode.accounts.models import DeletedAccount

# Columns of sentences like `test T1 accepted by ana` or `Add handed on to ana`, and of titles of
# clones' drafts.
SENTENCES = (
    ("functions_election", "cause"),
    ("functions_election", "origin_cause"),
    ("functions_function", "due_to"),
    ("functions_notice", "text"),
    ("functions_implementation", "title"),
    ("functions_test", "title"),
    ("runner_batch", "cause"),
)
_REPLACE = """
    update {table} set {column} = regexp_replace({column}, %(pattern)s, %(name)s, 'g')
    where strpos({column}, %(former)s) > 0 and {column} ~ %(pattern)s
"""


def forget_name(deletion: DeletedAccount) -> bool:
    """Write the account's new name in place of those it had; return whether any was found."""
    user, name = deletion.user, deletion.user.get_username()
    former = {deletion.former_name, *user.former_names.values_list("name", flat=True)}
    found = Flag.objects.filter(kind="profile", item_id=user.pk, label__in=former)
    changed = found.update(label=name)
    accounts = ContentType.objects.get_for_model(User)
    entries = LogEntry.objects.filter(content_type=accounts, object_id=str(user.pk))
    changed += entries.exclude(object_repr=name).update(object_repr=name)
    return changed + sum(_replace(each, name) for each in former) > 0


def _replace(former: str, name: str) -> int:
    """Write the one name in place of the other in all sentences; return in how many."""
    # Whole names only: others may begin with this one.
    pattern = rf"(?<= (?:by|to) ){re.escape(former)}(?=$|[;,:)]|\s)"
    values = {"pattern": pattern, "name": name, "former": former}
    changed = 0
    with connection.cursor() as cursor:
        for table, column in SENTENCES:
            cursor.execute(_REPLACE.format(table=table, column=column), values)
            changed += cursor.rowcount
    return changed
