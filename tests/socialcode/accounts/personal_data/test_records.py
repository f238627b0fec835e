"""Nothing that refers to an account is forgotten by its export or its deletion."""

from django.apps import apps
from django.contrib.auth.models import User

from socialcode.accounts.personal_data.records import RECORDS, installed

# Columns of users' ids without a foreign key.
BARE = {("accounts.session", "user_id")}


def columns_that_refer_to_accounts() -> set[tuple[str, str]]:
    found = set(BARE)
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if field.related_model is User:
                found.add((model._meta.label_lower, field.name))
            elif field.related_model is None and field.name.removesuffix("_id") in OWNERS:
                assert (model._meta.label_lower, field.name) in BARE
    return found


OWNERS = {"user", "owner", "author", "actor", "person", "voter", "by"}


def test_every_reference_to_an_account_is_exported_or_left_out_for_a_reason() -> None:
    named = [(record.model.lower(), record.field) for record in installed()]
    assert sorted(named) == sorted(columns_that_refer_to_accounts())


def test_each_has_a_file_or_a_reason() -> None:
    assert [one for one in RECORDS if bool(one.file) == bool(one.left_out)] == []
    files = [one.file for one in RECORDS if one.file]
    assert len(files) == len(set(files))
