from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("runner", "0002_safeguards")]

    operations = list[migrations.RunSQL]()
