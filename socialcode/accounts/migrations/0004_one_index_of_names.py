"""Drops an index of some databases, which duplicates `accounts_username_once`."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_sessions_of_users")]

    operations = [
        migrations.RunSQL("drop index if exists user_in_capitals", migrations.RunSQL.noop),
    ]
