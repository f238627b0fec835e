import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("functions", "0017_look_for_circles"),
    ]

    operations = [
        migrations.AddField(
            model_name="preview",
            name="circle",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=80),
                blank=True,
                db_default=[],
                default=list,
                size=None,
            ),
        ),
    ]
