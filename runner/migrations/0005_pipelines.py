from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("runner", "0004_semaphores")]

    operations = list[migrations.RunSQL]()
