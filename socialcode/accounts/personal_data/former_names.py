"""Removes the name of a deleted account from texts that rows keep."""

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
    """Write the account's new name in place of the former one; return whether it was found."""
    former, name = deletion.former_name, deletion.user.get_username()
    # Whole names only: others may begin with this one.
    pattern = rf"(?<= (?:by|to) ){re.escape(former)}(?=$|[;,:)]|\s)"
    found = Flag.objects.filter(kind="profile", item_id=deletion.user_id, label=former)
    changed = found.update(label=name)
    accounts = ContentType.objects.get_for_model(User)
    entries = LogEntry.objects.filter(content_type=accounts, object_id=str(deletion.user_id))
    changed += entries.exclude(object_repr=name).update(object_repr=name)
    with connection.cursor() as cursor:
        for table, column in SENTENCES:
            statement = _REPLACE.format(table=table, column=column)
            cursor.execute(statement, {"pattern": pattern, "name": name, "former": former})
            changed += cursor.rowcount
    return changed > 0
