"""Forms of stored templates."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from functions.forms import RefusableForm
from functions.json_data.values import parse_json
from functions.models import DocumentTemplate
from functions.names import MAX_NAME_LENGTH

_JSON = {"class": "code", "spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}
_FIRST = '{\n  "name": "$.first_name"\n}'


class TemplateForm(RefusableForm):
    """A template's definition and description, and a sample to try it with."""

    definition = forms.CharField(
        label=_("Definition"), strip=False, widget=forms.Textarea({**_JSON, "rows": 14})
    )
    description = forms.CharField(
        label=_("Description"), required=False, widget=forms.Textarea({"rows": 2})
    )
    value = forms.CharField(
        label=_("Sample document"),
        required=False,
        strip=False,
        widget=forms.Textarea({**_JSON, "rows": 14}),
        help_text=_("Any JSON, to try the definition with; it isn’t stored."),
    )

    @classmethod
    def initial_of(cls, template: DocumentTemplate | None) -> dict[str, str]:
        """Return the fields' values for this template, or for a new one."""
        if template is None:
            return {"definition": _FIRST, "value": '{\n  "first_name": "Ada"\n}'}
        return {"definition": template.definition, "description": template.description}

    @property
    def typed_definition(self) -> Any:
        """The definition as a JSON value. Raises a Refusal if it is no JSON."""
        return parse_json(self.cleaned_data["definition"], field="definition")


class NewTemplateForm(TemplateForm):
    """A new template."""

    field_order = ("name", "definition", "description", "value")

    name = forms.CharField(
        label=_("Name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput({**_JSON}),
        help_text=_("Letters, digits and underscores; it can’t be changed later."),
    )
