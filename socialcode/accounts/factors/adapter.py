"""What django-allauth asks of this site about second factors."""

from typing import Any

from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

WRONG_CODE = gettext_lazy("This didn't work. Try again, or use another way.")


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # it comes without types
    """Names things as the site does."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": WRONG_CODE,
        "cannot_generate_recovery_codes": gettext_lazy("Set up a second factor first."),
    }

    def get_totp_issuer(self) -> str:
        return "Social Code"

    def get_totp_label(self, user: User) -> str:
        return user.get_username()

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002 - allauth's
        count = Authenticator.objects.filter(user=user, type=type).count()
        return _("Passkey %(number)s") % {"number": count + 1}

    def get_public_key_credential_user_entity(self, user: User) -> dict[str, Any]:
        """Return what a browser's list of passkeys shows; not the mail address."""
        name = user.get_username()
        return {"id": user_pk_to_url_str(user).encode(), "display_name": name, "name": name}
