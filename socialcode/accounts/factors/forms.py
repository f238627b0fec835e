"""Forms that ask for a code."""

from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from allauth.mfa.webauthn.forms import AddWebAuthnForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.db import transaction
from django.utils.translation import gettext as _

from socialcode.accounts.forms import PlainFieldsMixin
from socialcode.accounts.security.guesses import CODES, TooManyGuesses, count_guess
from socialcode.accounts.security.log import Event, log_refusal
from socialcode.accounts.security.origin import origin
from socialcode.accounts.sign_in.adapter import TOO_MANY_GUESSES

MAX_NAME_LENGTH = 60
USED = "used_counter"  # of a code by time; where its row keeps the last one used


class GuessedCodeMixin(PlainFieldsMixin):
    """Counts each code before it is checked, and takes each once."""

    user: User
    authenticator: Authenticator
    cleaned_data: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].label = _("Code")

    def clean_code(self) -> str:
        """Check a code by time, or a recovery code."""
        name = self.user.get_username()
        try:
            guess = count_guess(CODES, address=origin.get().network, name=name)
        except TooManyGuesses as refusal:
            log_refusal(Event.SIGN_IN, "too_many_guesses", user=self.user)
            params = {"wait_seconds": refusal.wait_seconds}
            raise ValidationError(refusal.message, TOO_MANY_GUESSES, params) from refusal
        try:
            code: str = super().clean_code()  # type: ignore[misc]
            use_once(self.authenticator, code)
        except ValidationError:
            log_refusal(Event.SIGN_IN, "wrong_code", user=self.user)
            raise
        guess.confirm()
        return code


@transaction.atomic
def use_once(authenticator: Authenticator, code: str) -> None:
    """Refuse a code by time that was used, or is older than one that was.

    Recovery codes are used once by themselves. allauth remembers codes in a cache, which processes
    don't share.
    """
    if authenticator.type != Authenticator.Type.TOTP:
        return
    row = Authenticator.objects.select_for_update().get(pk=authenticator.pk)
    secret = get_adapter().decrypt(row.data["secret"])
    digits = "".join(code.split())
    counters = [
        counter
        for counter in yield_hotp_counters_from_time()
        if format_hotp_value(hotp_value(secret, counter)) == digits
    ]
    if not counters or max(counters) <= row.data.get(USED, 0):
        raise get_adapter().validation_error("incorrect_code")
    row.data[USED] = max(counters)
    row.save(update_fields=["data"])
    authenticator.data = row.data


class CodeForm(GuessedCodeMixin, AuthenticateForm):  # type: ignore[misc]
    """The code of a second factor, when signing in."""


class CodeAgainForm(GuessedCodeMixin, ReauthenticateForm):  # type: ignore[misc]
    """A code before a sensitive change."""


class FirstCodeForm(PlainFieldsMixin, ActivateTOTPForm):  # type: ignore[misc]
    """The first code, which shows that the app has the secret."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].label = _("Code that the app shows")


class PasskeyForm(PlainFieldsMixin, AddWebAuthnForm):  # type: ignore[misc]
    """A new passkey: its `name`, and the `credential` that the browser has made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.pop("passwordless", None)
        self.fields["name"].label = _("Name")
        self.fields["name"].validators.append(MaxLengthValidator(MAX_NAME_LENGTH))
