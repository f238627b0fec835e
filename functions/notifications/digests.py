"""Use cases of digest settings, signed links in mails, and the sending of mails."""

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.mail import EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from functions.errors import Refusal, TooOften
from functions.models import Digest
from functions.permissions import require_person
from functions.request_limits import CONFIRMATIONS
from runner.registry import Actor

_SALT = "functions.digests"
UNSUBSCRIBE, CONFIRM = "unsubscribe", "confirm"


def choose_digest(*, actor: Actor, frequency: str, address: str) -> Digest:
    """Set a user's frequency and address of digests.

    A new address gets a confirmation mail first, and digests only after it is confirmed.
    """
    user = require_person(actor)
    if frequency not in Digest.Frequency.values:
        choices = ", ".join(Digest.Frequency.values)
        message = _("The frequency is one of %(choices)s.") % {"choices": choices}
        raise Refusal("invalid_frequency", message, field="frequency")
    _check_address(address, is_needed=frequency != Digest.Frequency.OFF)
    digest = Digest.objects.get_or_create(user=user)[0]
    is_same = digest.address == address
    digest.frequency, digest.address = frequency, address
    digest.confirmed_at = digest.confirmed_at if is_same else None
    must_confirm = frequency != Digest.Frequency.OFF and digest.confirmed_at is None
    if must_confirm and not CONFIRMATIONS.count(f"user {user.pk}"):
        message = _("Too many confirmation mails were requested. Try again later.")
        raise TooOften(message, retry_after_seconds=CONFIRMATIONS.retry_after_seconds())
    digest.save(update_fields=["frequency", "address", "confirmed_at"])
    if must_confirm:
        send_mail(digest, "confirm", {"link": link_of(digest, CONFIRM)})
    return digest


def _check_address(address: str, *, is_needed: bool) -> None:
    if not address and not is_needed:
        return
    try:
        validate_email(address)
    except ValidationError:
        message = _("This is not an e-mail address.")
        raise Refusal("invalid_address", message, field="address") from None


def link_of(digest: Digest, act: str) -> str:
    """Return the signed URL to confirm or unsubscribe without signing in."""
    token = signing.dumps([digest.user_id, digest.address], salt=f"{_SALT}.{act}")
    return f"{settings.PUBLIC_URL}{reverse(f'{act}-digest', args=[token])}"


def digest_of_link(token: str, act: str) -> Digest | None:
    """Return the digest of a link; None if it is invalid or the address has changed."""
    try:
        user_id, address = signing.loads(token, salt=f"{_SALT}.{act}")
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return Digest.objects.filter(user=user_id, address=address).first()


def confirm(digest: Digest) -> None:
    """Confirm the digest's address."""
    Digest.objects.filter(pk=digest.pk, address=digest.address, confirmed_at=None).update(
        confirmed_at=timezone.now()
    )


def unsubscribe(digest: Digest) -> None:
    """Turn digests to this address off."""
    Digest.objects.filter(pk=digest.pk, address=digest.address).update(
        frequency=Digest.Frequency.OFF
    )


def language_of(user: User) -> str:
    """Return the language to write to a user in."""
    try:
        code: str = user.chosen_language.code
    except ObjectDoesNotExist:
        return settings.LANGUAGE_CODE
    return code if code in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def send_mail(
    digest: Digest, name: str, context: dict[str, object], *, mail: BaseEmailBackend | None = None
) -> None:
    """Send a mail as text and HTML. The first line of the text template is the subject."""
    user: User = digest.user
    everything = {**context, "site": settings.PUBLIC_URL, "username": user.get_username()}
    with override(language_of(user)):
        text = render_to_string(f"mail/{name}.txt", everything)
        page = render_to_string(f"mail/{name}.html", everything)
    subject, _, body = text.partition("\n")
    message = EmailMultiAlternatives(
        subject,
        body.lstrip("\n"),
        to=[digest.address],
        headers={
            "List-Unsubscribe": f"<{link_of(digest, UNSUBSCRIBE)}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
        connection=mail,
    )
    message.attach_alternative(page, "text/html")
    message.send()
