from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("functions", "0002_votes")]

    operations = list[migrations.RunSQL]()
