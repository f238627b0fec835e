"""Forms of collections and items."""

import json
from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from functions.collections.definition import Settings
from functions.errors import Complaint, Refusal
from functions.forms import RefusableForm
from functions.json_data.values import parse_json, pretty
from functions.models import ADDERS, CHANGERS, READERS, Collection, Item, Role
from functions.names import MAX_NAME_LENGTH

_CODE: dict[str, Any] = {"class": "code", "autocomplete": "off", "spellcheck": "false"}


def _choices(roles: Iterable[Role]) -> list[tuple[str, Any]]:
    return [(role.value, role.label) for role in roles]  # translated when they are shown


class JsonField(forms.CharField):
    """A text that is JSON; empty: None."""

    def __init__(self, *, rows: int, **options: Any) -> None:
        widget = forms.Textarea({**_CODE, "rows": rows})
        super().__init__(strip=False, widget=widget, **options)


class SettingsForm(RefusableForm):
    """The settings of a collection, which its owner decides."""

    description = forms.CharField(
        label=_("Description"),
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("What it is about, in Markdown. The first line is shown in lists."),
    )
    schema = JsonField(
        rows=8,
        label=_("Schema"),
        required=False,
        help_text=_("What items must fit, as JSON Schema 2020-12. Empty: any JSON object."),
    )
    schema_document = forms.CharField(
        label=_("Document as schema"),
        required=False,
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput(_CODE),
        help_text=_(
            "In place of a schema: the name of a document that is one, in its current form."
        ),
    )
    may_read = forms.ChoiceField(label=_("Who may read items"), choices=_choices(READERS))
    may_add = forms.ChoiceField(label=_("Who may add items"), choices=_choices(ADDERS))
    may_change = forms.ChoiceField(label=_("Who may change items"), choices=_choices(CHANGERS))
    pages = forms.CharField(
        label=_("Pages and functions"),
        required=False,
        widget=forms.TextInput(_CODE),
        help_text=_(
            "Names of pages and functions that may read, add, change and delete items for whoever "
            "opens or calls them, as far as these may themselves; with blanks between them."
        ),
    )
    state = forms.ChoiceField(
        label=_("State"),
        choices=Collection.State.choices,
        help_text=_("Items of a closed collection can only be read."),
    )

    @classmethod
    def initial_of(cls, settings: Settings) -> dict[str, Any]:
        """Return the fields' values for these settings."""
        shown = {name: getattr(settings, name) for name in cls.base_fields if name != "name"}
        schema = "" if settings.schema is None else pretty(settings.schema)
        return {**shown, "schema": schema, "pages": " ".join(settings.pages)}

    def changed(self, former: Settings) -> Settings:
        """Return the settings as typed. Raises a Refusal if the schema is not JSON."""
        typed = dict(self.cleaned_data)
        typed.pop("name", None)
        text = typed.pop("schema").strip()
        pages = tuple(typed.pop("pages").replace(",", " ").split())
        return Settings(
            **typed,
            pages=pages,
            schema=parse_json(text, field="schema") if text else None,
            needs_match=former.needs_match,
        )


class CollectionForm(SettingsForm):
    """A new collection."""

    field_order = ("name",)

    name = forms.CharField(
        label=_("Name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput({**_CODE, "placeholder": _("Books")}),
        help_text=_("Letters, digits and underscores; it is part of the address and stays."),
    )


class ItemForm(RefusableForm):
    """An item as JSON text, with the version that was edited."""

    value = JsonField(rows=16, label=_("JSON"), help_text=_("A JSON object."))
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    @classmethod
    def initial_of(cls, item: Item) -> dict[str, Any]:
        return {"value": pretty(item.value), "version": item.version}

    def add_refusal(self, refusal: Refusal) -> None:
        """Add each complaint, with its place in the value and its line."""
        text = str(self.data.get("value", ""))
        for complaint in refusal.errors:
            self.add_error("value", _placed(complaint, text))


def _placed(complaint: Complaint, text: str) -> str:
    """Return a complaint's message after the place that it is about."""
    path = complaint.field.removeprefix("value")
    if not path.startswith("/"):
        return complaint.message
    line = _line_of(text, path.split("/")[1:])
    return f"{path} ({line}): {complaint.message}" if line else f"{path}: {complaint.message}"


def _line_of(text: str, steps: list[str]) -> int:
    """Return the line where the member at a path begins; 0 if it isn't found."""
    position = 0
    for step in steps:
        if step.isdecimal():
            continue  # the elements of a list are on lines after its name
        name = json.dumps(step.replace("~1", "/").replace("~0", "~"), ensure_ascii=False)
        position = text.find(name, position)
        if position < 0:
            return 0
    return text.count("\n", 0, position) + 1
