"""The form of a new account whose owner signs in at an identity provider."""

from typing import Any

from allauth.socialaccount.forms import SignupForm
from django.utils.translation import gettext as _

from socialcode.accounts.forms import PlainFieldsMixin


class ProviderSignUpForm(PlainFieldsMixin, SignupForm):  # type: ignore[misc]
    """`username`, which is public, and `email`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("Username")
        self.fields["username"].help_text = _("Letters, digits and any of @ . + - _")
        self.fields["email"].label = _("E-mail address")
        self.fields["email"].help_text = _("For a forgotten password. Nobody else sees it.")
