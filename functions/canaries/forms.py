"""The form of a registered project and its lock."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from functions.canaries.locks import MAX_LOCK_CHARACTERS, PYLOCK, REQUIREMENTS
from functions.canaries.projects import MAX_NAME_LENGTH
from functions.errors import Refusal
from functions.forms import RefusableForm, with_line


class CanaryForm(RefusableForm):
    """A project's name, the text of its lock file, and the webhook that is told."""

    name = forms.CharField(
        label=_("Name of the project"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )
    lock = forms.CharField(
        label=_("Lock file"),
        strip=False,
        max_length=MAX_LOCK_CHARACTERS,
        widget=forms.Textarea({"class": "code", "rows": 8, "spellcheck": "false"}),
        help_text=_(
            "The text of pylock.toml, or of a requirements file with hashes. Packages of other "
            "sites are left out."
        ),
    )
    url = forms.URLField(
        label=_("Address of a webhook"),
        required=False,
        assume_scheme="https",
        widget=forms.URLInput({"autocomplete": "off"}),
        help_text=_("It is told what differs. Without one, look here."),
    )

    @property
    def registration(self) -> dict[str, Any]:
        """The typed fields, as the use cases take them."""
        lock = self.cleaned_data["lock"]
        is_pylock = "lock-version" in lock or "[[packages]]" in lock
        return {
            "name": self.cleaned_data["name"],
            "form": PYLOCK if is_pylock else REQUIREMENTS,
            "lock": lock,
            "url": self.cleaned_data["url"] or None,
        }

    def add_refusal(self, refusal: Refusal) -> None:
        """Add each complaint to its field; those of any form of lock to the lock."""
        for complaint in refusal.errors:
            is_elsewhere = complaint.field in ("name", "url")
            self.add_error(complaint.field if is_elsewhere else "lock", with_line(complaint))
