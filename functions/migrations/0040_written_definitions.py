from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("functions", "0039_document_revisions")]

    operations = [
        migrations.AddField(
            model_name="documentview",
            name="written",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
