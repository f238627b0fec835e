from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("runner", "0005_pipelines")]

    operations = list[migrations.RunSQL]()
