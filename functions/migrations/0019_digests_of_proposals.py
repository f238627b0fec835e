from typing import Any

from django.db import migrations

AT_ONCE = 1_000


def look_at_proposals(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001
    """Have elections held for functions that only propose: others see less of these now."""
    functions = apps.get_model("functions", "Function")
    follow_ups = apps.get_model("runner", "FollowUp")
    found = functions.objects.filter(deleted_at=None, elected=None).exclude(closure_digest=b"")
    follow_ups.objects.bulk_create(
        (
            follow_ups(
                name="functions.settle",
                target=str(pk),
                arguments={
                    "cause": "what is only proposed is seen by fewer",
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
        ("functions", "0018_previews_of_circles"),
        ("runner", "0008_result_token"),
    ]

    operations = [migrations.RunPython(look_at_proposals, migrations.RunPython.noop)]
