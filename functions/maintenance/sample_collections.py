"""Loads the sample collections, which the sample pages read and change."""

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from functions.collections.definition import Settings, create_collection
from functions.collections.items import add_item
from functions.models import Collection
from functions.names import name_key

_FILE = "collections.toml"
_SETTINGS = {field.name for field in fields(Settings)}


@transaction.atomic
def load_collections(library: Path, accounts: Mapping[str, User]) -> None:
    """Create the collections of the library that the site lacks, with their first items."""
    file = library / _FILE
    if not file.exists():
        return
    for each in tomllib.loads(file.read_text(encoding="utf-8"))["collections"]:
        if Collection.objects.filter(name_key=name_key(each["name"])).exists():
            continue
        given = {name: value for name, value in each.items() if name in _SETTINGS}
        settings = Settings(**given | {"pages": tuple(each["pages"])})
        owner = accounts[each["owner"]]
        collection = create_collection(actor=owner, name=each["name"], settings=settings)
        for item in each["items"]:
            add_item(actor=accounts[item["author"]], collection=collection, value=item["value"])
