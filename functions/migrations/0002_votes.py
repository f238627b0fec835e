from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("functions", "0001_initial")]

    operations = list[migrations.RunSQL]()
