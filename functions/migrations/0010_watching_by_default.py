from typing import Any

from django.db import migrations


def watch_what_is_there(apps: Any, _schema_editor: Any) -> None:
    """Have owners and authors watch their functions, as those do who come later."""
    watch = apps.get_model("functions", "Watch")
    pairs = set(apps.get_model("functions", "Function").objects.values_list("id", "owner_id"))
    for name in ("Implementation", "Test"):
        works = apps.get_model("functions", name).objects.exclude(state="draft")
        pairs.update(works.values_list("function_id", "author_id"))
    watch.objects.bulk_create(
        (watch(function_id=function, user_id=user) for function, user in sorted(pairs)),
        batch_size=1_000,
    )


class Migration(migrations.Migration):
    dependencies = [("functions", "0009_watching")]

    operations = [migrations.RunPython(watch_what_is_there, migrations.RunPython.noop)]
