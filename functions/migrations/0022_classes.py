from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("functions", "0021_standing_of_tests")]

    operations = [
        # Choices are Django's own: no statement reaches the database.
        migrations.AlterField(
            model_name="function",
            name="kind",
            field=models.CharField(
                choices=[("function", "function"), ("class", "class")],
                default="function",
                max_length=16,
            ),
        ),
    ]
