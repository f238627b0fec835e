from django.contrib.postgres.functions import RandomUUID
from django.db import migrations, models

NEW_VERSION = """
create function functions_new_version() returns trigger language plpgsql as $$
begin
    new.version = gen_random_uuid();
    return new;
end $$;
create trigger functions_new_version before update on functions_function
    for each row execute function functions_new_version();
"""


class Migration(migrations.Migration):
    dependencies = [("functions", "0022_classes")]

    operations = [
        migrations.AddField("function", "version", models.UUIDField(db_default=RandomUUID())),
        migrations.RunSQL(NEW_VERSION, "drop function functions_new_version() cascade"),
    ]
