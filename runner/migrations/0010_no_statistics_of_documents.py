"""Documents and texts are not analysed, which took longest: nothing is looked up by them."""

from django.db import migrations

COLUMNS = {
    "runner_source": ("text",),
    "runner_execution": ("program",),
    "runner_result": ("message", "trace", "cases", "log", "value"),
    "runner_event": ("payload",),
    "runner_outboxevent": ("events",),
    "runner_attempt": ("error",),
}


def analysing(table: str, columns: tuple[str, ...], target: str) -> str:
    changes = ", ".join(f"alter column {column} set statistics {target}" for column in columns)
    return f"alter table {table} {changes}"


class Migration(migrations.Migration):
    dependencies = [("runner", "0009_fewer_writes")]

    operations = [
        migrations.RunSQL(analysing(table, columns, "0"), analysing(table, columns, "-1"))
        for table, columns in COLUMNS.items()
    ]
