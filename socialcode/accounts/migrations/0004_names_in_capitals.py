"""People are found by name in small or capital letters; Django has an index as it is spelled."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("accounts", "0003_sessions_of_users"),
    ]

    operations = [
        migrations.RunSQL(
            "CREATE INDEX user_in_capitals ON auth_user (upper(username))",
            "DROP INDEX user_in_capitals",
        ),
    ]
