"""The form that deletes an account."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from functions.forms import RefusableForm
from socialcode.accounts.models import DeletedAccount
from socialcode.accounts.personal_data.confirmation import require_name, require_password

Work = DeletedAccount.Work


class _Choices(forms.RadioSelect):
    """Radio buttons, of which a link to the field leads to the first."""

    def id_for_label(self, id_: str, index: str | None = None) -> str:
        return super().id_for_label(id_, index or "0")


class DeletionForm(RefusableForm):
    """What becomes of the person's work; and their password, or their name without one."""

    work = forms.ChoiceField(
        label=_("What you have published"), choices=Work.choices, widget=_Choices
    )
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )
    name = forms.CharField(
        label=_("Your user name, to confirm"),
        max_length=150,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, person: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._person = person
        del self.fields["name" if person.has_usable_password() else "password"]

    def confirm(self, address: str) -> None:
        """Refuse if it isn't the person who asks."""
        if "password" in self.fields:
            require_password(self._person, self.cleaned_data["password"], address=address)
        else:
            require_name(self._person, self.cleaned_data["name"])
