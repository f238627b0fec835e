from django.db import migrations, models

DIGEST = """
    update accounts_apitoken t set password_digest = sha256(convert_to(u.password, 'UTF8'))
    from auth_user u where u.id = t.user_id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_guess_counts"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="password_digest",
            field=models.BinaryField(max_length=32, null=True),
        ),
        migrations.RunSQL(DIGEST, migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="apitoken",
            name="password_digest",
            field=models.BinaryField(max_length=32),
        ),
    ]
