"""What django-allauth asks of this site: passwords, names, languages and pages."""

from http import HTTPStatus
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy, override
from django.utils.translation import gettext as _

from functions.errors import TooOften
from functions.notifications.digests import language_of
from functions.request_limits import ACCOUNT_MAILS
from functions.views.intents import resume
from socialcode.accounts.languages import choose_language, recall_language
from socialcode.accounts.names.rules import NameTaken, check_username, require_claim
from socialcode.accounts.passwords.guess_limit import AccountShut, address_of, user_with_password
from socialcode.accounts.providers.adapter import has_proof
from socialcode.accounts.security.guesses import TooManyGuesses
from socialcode.accounts.security.log import Event, log_refusal
from socialcode.accounts.sign_in.mails import REQUESTED, name_of, send_account_mail
from socialcode.accounts.sign_in.notes import note_of
from socialcode.accounts.suspensions import why_shut

TOO_MANY_GUESSES = "too_many_guesses"
WRONG_PASSWORD = gettext_lazy(
    "Wrong user name or password. An e-mail address can be used once it is confirmed."
)


PROOFS = {
    "reauthenticate": gettext_lazy("Use your password"),
    "mfa_reauthenticate": gettext_lazy("Use a code"),
    "mfa_reauthenticate:webauthn": gettext_lazy("Use a passkey"),
}


class ConfirmedAddressStage(EmailVerificationStage):  # type: ignore[misc]
    """Asks for a confirmed address, where the site does, unless the account is older than that."""

    def handle(self) -> tuple[HttpResponse | None, bool]:
        if not EmailAddress.objects.filter(user=self.login.user).exists():
            return None, True
        return super().handle()  # type: ignore[no-any-return]


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # it comes without types
    """Checks passwords with our limits and names with our rules; writes in the user's language."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": WRONG_PASSWORD,
        "email_password_mismatch": WRONG_PASSWORD,
    }

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Return the user of this name or address and password; None if the password is wrong.

        Raises ValidationError beyond the limits on guesses, and for suspended accounts.
        """
        name = credentials.get("username") or credentials.get("email") or ""
        try:
            return user_with_password(address_of(request), name, credentials["password"])
        except TooManyGuesses as refusal:
            params = {"wait_seconds": refusal.wait_seconds}
            raise ValidationError(refusal.message, TOO_MANY_GUESSES, params) from refusal
        except AccountShut as refusal:
            raise ValidationError(refusal.why, "suspended") from refusal

    def clean_username(self, username: str, **_kwargs: Any) -> str:
        """Return the name; raise ValidationError with the reason if it can't be used."""
        name: str = User.normalize_username(username)
        super().clean_username(name, shallow=True)
        check_username(name)
        return name

    def save_user(self, request: HttpRequest, user: User, form: Any, **_kwargs: Any) -> User:
        """Save a new account. Raises NameTaken."""
        super().save_user(request, user, form, commit=False)  # hashes outside the transaction
        try:
            with transaction.atomic():
                user.save()
                require_claim(user)
        except IntegrityError as error:
            raise NameTaken from error
        return user

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:
        """Do what the visitor wanted before signing in, and keep or recall the language."""
        answer: HttpResponse = super().post_login(request, user, **details)
        answer = resume(request) or answer
        if details["signup"] and get_language() != settings.LANGUAGE_CODE:
            choose_language(user, get_language() or "")
        recall_language(answer, user)
        return answer

    def get_login_stages(self) -> list[str]:
        """Return the steps of signing in; ours spares accounts without an address."""
        ours = f"{ConfirmedAddressStage.__module__}.{ConfirmedAddressStage.__qualname__}"
        theirs = f"{EmailVerificationStage.__module__}.{EmailVerificationStage.__qualname__}"
        return [ours if path == theirs else path for path in super().get_login_stages()]

    def get_reauthentication_methods(self, user: User) -> list[dict[str, Any]]:
        """Return how this user can show who they are: by password, factor or provider."""
        methods: list[dict[str, Any]] = [
            {**one, "description": PROOFS[one["id"]]}
            for one in super().get_reauthentication_methods(user)
        ]
        if not methods and SocialAccount.objects.filter(user=user.pk).exists():
            methods.append({"id": "provider", "description": "", "url": reverse("ask-again")})
        return methods

    def is_reauthentication_required(self, *, app: str, **_kwargs: Any) -> bool:  # noqa: ARG002
        """Return whether a proof is needed, unless it was given at a provider just now."""
        return not has_proof(self.request)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Tell a suspended user why they can't sign in."""
        log_refusal(Event.SIGN_IN, "suspended", user=user)
        context = {"why": why_shut(user)}
        status = HTTPStatus.FORBIDDEN
        return render(request, "account/account_inactive.html", context, status=status)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail in the language of its user, if it has one.

        Raises TooOften for what strangers can have sent, whether or not an account has the address.
        """
        name, user = name_of(template_prefix), context.get("user")
        if name in REQUESTED and not ACCOUNT_MAILS.count(email.lower()):
            if name == "email_confirmation_signup":
                return  # the account has been made
            wait = ACCOUNT_MAILS.retry_after_seconds()
            message = _("Many mails were sent to this address just now. Try again later.")
            raise TooOften(message, retry_after_seconds=wait)
        own = {"username": user.get_username() if isinstance(user, User) else ""}
        with override(language_of(user) if isinstance(user, User) else get_language()):
            is_sent = send_account_mail(name, email, {**context, **own})
        if not is_sent:
            messages.warning(self.request, _("A mail could not be sent. Try again later."))

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Tell a user what was done to the account; allauth leaves the user out."""
        context = {**(context or {}), "user": user}
        super().send_notification_mail(template_prefix, user, context, email)

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        extra_tags: str = "",
        message: str | None = None,
    ) -> None:
        """Show a note on the next page."""
        text = message or note_of(message_template or "", message_context or {})
        if text:
            messages.add_message(request, level, text, extra_tags)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:  # noqa: ARG002 - allauth's
        """Return the link of a mail, which doesn't rely on what the request calls this host."""
        page = reverse("account_confirm_email", args=[emailconfirmation.key])
        return f"{settings.PUBLIC_URL}{page}"

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return the link of a mail; see above."""
        uid, _dash, token = key.partition("-")
        page = reverse("account_reset_password_from_key", args=[uid, token])
        return f"{settings.PUBLIC_URL}{page}"

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address, which the server has found behind proxies."""
        return str(request.META["REMOTE_ADDR"])

    def is_ajax(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's
        """Return False: pages are answered with pages, whatever is accepted."""
        return False
