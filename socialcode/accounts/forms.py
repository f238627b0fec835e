"""Forms of accounts and tokens."""

from datetime import timedelta
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import (
    AddEmailForm,
    ChangePasswordForm,
    LoginForm,
    ReauthenticateForm,
    ResetPasswordForm,
    ResetPasswordKeyForm,
    SetPasswordForm,
    SignupForm,
)
from django import forms
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import get_default_password_validators
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from functions.api.scopes import SCOPES
from functions.audit import MAX_REASON_LENGTH
from functions.forms import CheckBoxes, RefusableForm
from socialcode.accounts.models import ApiToken
from socialcode.accounts.names.rules import check_username


class UsernameMixin:
    """Validates a new or changed user name."""

    cleaned_data: dict[str, Any]
    instance: User

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        if name != self.instance.username:
            check_username(name, holder=self.instance)
        return name


class PlainFieldsMixin:
    """Shows labels above fields in place of allauth's placeholders in them."""

    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class NewPasswordMixin(PlainFieldsMixin):
    """Names the fields of a new password, which is typed twice."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].label = _("New password")
        self.fields["password1"].help_text = password_help()
        self.fields["password2"].label = _("Confirm password")


def password_help() -> str:
    """Return what is asked of passwords."""
    return get_default_password_validators()[-1].get_help_text()


class SignUpForm(PlainFieldsMixin, SignupForm):  # type: ignore[misc]  # it comes without types
    """A new account: `username`, `email`, `password1`, `password2`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = _("Username")
        self.fields["username"].help_text = _("Letters, digits and any of @ . + - _")
        self.fields["email"].label = _("E-mail address")
        self.fields["email"].help_text = _("For a forgotten password. Nobody else sees it.")
        self.fields["password1"].help_text = password_help()
        self.fields["password2"].label = _("Confirm password")


class PasswordChangeForm(NewPasswordMixin, ChangePasswordForm):  # type: ignore[misc]
    """The current password, `oldpassword`, and a new one, `password1` and `password2`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"].label = _("Current password")
        self.fields["oldpassword"].help_text = ""

    def clean_oldpassword(self) -> str:
        """Check the current password as at sign-in: a wrong one is a guess that counts."""
        password: str = self.cleaned_data["oldpassword"]
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("incorrect_password")
        return password


class PasswordSetForm(NewPasswordMixin, SetPasswordForm):  # type: ignore[misc]
    """The first password of an account."""


class PasswordResetForm(NewPasswordMixin, ResetPasswordKeyForm):  # type: ignore[misc]
    """A new password in place of a forgotten one."""


class ResetRequestForm(PlainFieldsMixin, ResetPasswordForm):  # type: ignore[misc]
    """The address that a link for a new password is sent to."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _("E-mail address")


class PasswordAgainForm(PlainFieldsMixin, ReauthenticateForm):  # type: ignore[misc]
    """The password, asked for again before a sensitive change."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].label = _("Password")
        self.fields["password"].help_text = ""


class AddressForm(PlainFieldsMixin, AddEmailForm):  # type: ignore[misc]
    """A new mail address, which replaces the current one when it is confirmed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _("New address")


class AccountMakingForm(UsernameMixin, AdminUserCreationForm):  # type: ignore[type-arg]
    """A new account, created by staff."""


class AccountForm(UsernameMixin, UserChangeForm):  # type: ignore[type-arg]
    """An existing account, changed by staff."""


class SignInForm(PlainFieldsMixin, LoginForm):  # type: ignore[misc]  # it comes without types
    """`login`, a name in any case or a confirmed address, and `password`.

    `username` is accepted in place of `login`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        sent = kwargs.get("data")
        if sent is not None and "login" not in sent and "username" in sent:
            kwargs["data"] = sent.copy()
            kwargs["data"]["login"] = sent["username"]
        super().__init__(*args, **kwargs)
        login = self.fields["login"]
        login.label = _("Username or e-mail address")
        login.widget.attrs.update(autocomplete="username", autocapitalize="none")
        self.fields["password"].label = _("Password")
        self.fields["password"].help_text = ""


class SuspensionForm(RefusableForm):
    """The account to suspend, and the reason."""

    username = forms.CharField(label=gettext_lazy("User"), max_length=150)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=MAX_REASON_LENGTH,
        help_text=gettext_lazy("Shown to the user, and to staff in the audit log."),
    )


class AgentLabelForm(SuspensionForm):
    """The account to label as an agent, and the reason."""


class TokenPowersForm(forms.Form):
    """What a new token may do, and until when."""

    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What it may do"),
        choices=[*SCOPES.items()],
        initial=[*SCOPES],
        widget=CheckBoxes,
        error_messages={"required": gettext_lazy("Choose at least one scope.")},
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Until when"),
        coerce=int,
        empty_value=None,
        required=False,
        choices=[
            (0, gettext_lazy("revoked, or the password changes")),
            (7, gettext_lazy("in a week")),
            (30, gettext_lazy("in 30 days")),
            (90, gettext_lazy("in 90 days")),
            (365, gettext_lazy("in a year")),
        ],
    )

    @property
    def powers(self) -> dict[str, Any]:
        """The chosen scopes and end, for use cases."""
        days = self.cleaned_data["days"]
        return {
            "scopes": self.cleaned_data["scopes"],
            "expires_at": timezone.now() + timedelta(days=days) if days else None,
        }


class TokenForm(TokenPowersForm, forms.ModelForm):  # type: ignore[type-arg]  # generic to mypy alone
    """The purpose of a new token, what it may do, and until when."""

    field_order = ("name", "scopes", "days")

    class Meta:
        model = ApiToken
        fields = ("name",)
        labels = {"name": gettext_lazy("What it is for")}
