"""Forms of accounts and tokens."""

from typing import Any

from django import forms
from django.contrib.auth.forms import (
    AdminUserCreationForm,
    AuthenticationForm,
    UserChangeForm,
    UserCreationForm,
)
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from functions.audit import MAX_REASON_LENGTH
from functions.forms import RefusableForm
from socialcode.accounts.models import ApiToken
from socialcode.accounts.names.rules import check_username, require_claim
from socialcode.accounts.passwords.guess_limit import AccountShut, address_of, user_with_password
from socialcode.accounts.security.guesses import TooManyGuesses

NAME_TAKEN = gettext_lazy("A user with that username, or one that looks like it, already exists.")
TOO_MANY_GUESSES = "too_many_guesses"


class UsernameMixin:
    """Validates a new or changed user name."""

    cleaned_data: dict[str, Any]
    instance: User

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if name != self.instance.username:
            check_username(name)
        return name


class SignUpForm(UsernameMixin, UserCreationForm):  # type: ignore[type-arg]  # generic to mypy alone
    """A new account: `username`, `password1`, `password2`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].help_text = _("Letters, digits and any of @ . + - _")
        self.fields["password1"].help_text = _(
            "At least 8 characters, not digits alone, and nothing that many people use."
        )
        self.fields["password2"].label = _("Confirm password")
        self.fields["password2"].help_text = ""

    def create_account(self) -> User | None:
        """Save the account; if the name was taken concurrently, add an error to the field."""
        user: User = self.save(commit=False)  # the slow hashing is done outside the transaction
        try:
            with transaction.atomic():
                user.save()
                require_claim(user)
        except IntegrityError:
            self.add_error("username", NAME_TAKEN)
            return None
        return user


class AccountMakingForm(UsernameMixin, AdminUserCreationForm):  # type: ignore[type-arg]
    """A new account, created by staff."""


class AccountForm(UsernameMixin, UserChangeForm):  # type: ignore[type-arg]
    """An existing account, changed by staff."""


class SignInForm(AuthenticationForm):
    """`username` (case-insensitive; also accepted as `login`) and `password`."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": gettext_lazy("Wrong user name or password."),
    }
    retry_after_seconds = 0  # after too many guesses

    def __init__(self, request: Any = None, *args: Any, **kwargs: Any) -> None:
        sent = kwargs.get("data")
        if sent is not None and "username" not in sent and "login" in sent:
            kwargs["data"] = sent.copy()
            kwargs["data"]["username"] = sent["login"]
        super().__init__(request, *args, **kwargs)

    def clean(self) -> dict[str, Any]:
        username = self.cleaned_data.get("username")
        password = self.cleaned_data.get("password")
        if username and password:
            self.user_cache = self._find_user(username, password)
        return self.cleaned_data

    def _find_user(self, username: str, password: str) -> User:
        try:
            user = user_with_password(address_of(self.request), username, password)
        except TooManyGuesses as refusal:
            self.retry_after_seconds = refusal.wait_seconds
            raise ValidationError(refusal.message, code=TOO_MANY_GUESSES) from refusal
        except AccountShut as refusal:
            raise ValidationError(refusal.why, code="suspended") from refusal
        if user is None:
            raise self.get_invalid_login_error()
        return user


class SuspensionForm(RefusableForm):
    """The account to suspend, and the reason."""

    username = forms.CharField(label=gettext_lazy("User"), max_length=150)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON_LENGTH,
        help_text=gettext_lazy("Shown to the user, and to staff in the audit log."),
    )


class TokenForm(forms.ModelForm):  # type: ignore[type-arg]  # generic to mypy alone
    """The purpose of a new token."""

    class Meta:
        model = ApiToken
        fields = ("name",)
        labels = {"name": gettext_lazy("What it is for")}
