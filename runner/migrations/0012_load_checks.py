"""Marks tasks that only load an implementation, which progress doesn't count.

Tasks of older batches stay unmarked.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runner", "0011_follow_up_turns")]

    operations = [
        migrations.AddField(
            "task", "is_load_check", models.BooleanField(default=False, db_default=False)
        ),
    ]
