from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("runner", "0003_chains_and_loading")]

    operations = list[migrations.RunSQL]()
