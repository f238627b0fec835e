from typing import Any

from django.db import migrations

AT_ONCE = 1_000


def look_for_circles(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001
    """Have elections held for functions without one, as they may be tried together with others."""
    functions = apps.get_model("functions", "Function")
    dependencies = apps.get_model("functions", "Dependency")
    follow_ups = apps.get_model("runner", "FollowUp")
    naming = dependencies.objects.filter(
        implementation__state="published", implementation__function__elected=None
    )
    found = functions.objects.filter(
        deleted_at=None,
        elected=None,
        proposed=None,
        pk__in=naming.values("implementation__function"),
    )
    follow_ups.objects.bulk_create(
        (
            follow_ups(
                name="functions.settle",
                target=str(pk),
                arguments={
                    "cause": "functions that lead to each other are elected together",
                    "depth": 0,
                    "by": [],
                    "actor": None,
                },
            )
            for pk in found.order_by("pk").values_list("pk", flat=True)
        ),
        batch_size=AT_ONCE,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "0016_circles"),
        ("runner", "0008_result_token"),
    ]

    operations = [migrations.RunPython(look_for_circles, migrations.RunPython.noop)]
