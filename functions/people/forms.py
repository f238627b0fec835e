"""The form of one's own profile."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from functions.forms import MAX_REASON_LENGTH, RefusableForm
from functions.models import Profile
from functions.people.quotas import RESOURCES


class ProfileForm(RefusableForm):
    """A few words and links; the fields of links are `links.0` and so on, as in complaints."""

    about = forms.CharField(
        label=_("About you"),
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=_("A few words, as plain text. Everybody can read them."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for place in range(Profile.MAX_LINKS):
            self.fields[f"links.{place}"] = forms.CharField(
                label=_("Link %(number)s") % {"number": place + 1},
                required=False,
                widget=forms.TextInput({"inputmode": "url", "spellcheck": "false"}),
            )

    @classmethod
    def initial_of(cls, profile: Profile) -> dict[str, str]:
        """Return the fields' values for this profile."""
        links = {f"links.{place}": link for place, link in enumerate(profile.links)}
        return {"about": profile.about, **links}

    @property
    def links(self) -> list[str]:
        """The links as typed, in order, with empty ones."""
        return [self.cleaned_data[f"links.{place}"] for place in range(Profile.MAX_LINKS)]


class QuotaForm(RefusableForm):
    """A limit of one account, set by staff."""

    username = forms.CharField(label=_("Account"), max_length=150)
    resource = forms.ChoiceField(
        label=_("Quota"), choices=[(name, _(one.label)) for name, one in RESOURCES.items()]
    )
    limit = forms.IntegerField(
        label=_("Limit"), required=False, min_value=0, help_text=_("Empty: the site's.")
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        help_text=_("Shown to staff in the audit log."),
    )
