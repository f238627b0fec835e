"""Use cases of profiles: users change their own, staff clears what is offensive."""

from collections.abc import Collection, Iterator, Sequence

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.audit import check_reason, record_act
from functions.errors import Complaint, Conflict, Refusal, refuse_all, require_expected
from functions.models import AuditEntry, Profile
from functions.permissions import require_person, require_staff
from functions.source.validation import check_text
from runner.registry import Actor

_is_address = URLValidator(schemes=["https"])


@transaction.atomic
def change_profile(
    *, actor: Actor, about: str, links: Sequence[str], expected: Collection[str] | None = None
) -> Profile:
    """Replace the actor's profile. Blanks in the text become single, empty links are left out.

    Complaints about a link name its position, such as `links.0`. `expected` are the digests of
    profiles that may be replaced. Raises Outdated for another one.
    """
    user = require_person(actor)
    if expected is not None:
        # There may be no profile yet to lock.
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        former = Profile.objects.filter(user=user).first() or Profile(user=user)
        require_expected(expected, former.digest)
    about, links = " ".join(about.split()), [link.strip() for link in links]
    refuse_all([*_faults_of_about(about), *_faults_of_links(links)])
    chosen = list(dict.fromkeys(filter(None, links)))
    fields = {"about": about, "links": chosen, "changed_at": timezone.now()}
    return Profile.objects.update_or_create(user=user, defaults=fields)[0]


@transaction.atomic
def clear_profile(*, actor: Actor, person: User, reason: str) -> None:
    """Empty an offensive profile, as staff, with a reason that the person reads."""
    staff = require_staff(actor)
    reason = check_reason(reason, is_required=True)
    profile = Profile.objects.select_for_update().filter(user=person).first()
    if profile is None or profile.is_empty:
        raise Conflict("empty_profile", _("There is nothing in this profile."))
    profile.about, profile.links, profile.changed_at = "", [], timezone.now()
    profile.save()
    record_act(staff, AuditEntry.Act.PROFILE_CLEARED, person=person, reason=reason)


def clearance_of(user: User) -> AuditEntry | None:
    """Return the act of staff that cleared this profile, if the user has not changed it since."""
    profile = Profile.objects.filter(user=user).first()
    if profile is None:
        return None
    acts = AuditEntry.objects.filter(person=user, act=AuditEntry.Act.PROFILE_CLEARED)
    return acts.filter(created_at__gte=profile.changed_at).order_by("-pk").first()


def _faults_of_about(about: str) -> list[Complaint]:
    try:
        check_text(about, field="about", longest=Profile.MAX_ABOUT)
    except Refusal as refusal:
        return refusal.errors
    return []


def _faults_of_links(links: Sequence[str]) -> Iterator[Complaint]:
    if sum(map(bool, links)) > Profile.MAX_LINKS:
        message = _("There are more than %(limit)s links.") % {"limit": Profile.MAX_LINKS}
        yield Complaint("links", "too_many_links", message)
        return
    for place, link in enumerate(links):
        if len(link) > Profile.MAX_LINK:
            message = _("This link has more than %(limit)s characters.")
            yield Complaint(f"links.{place}", "too_long", message % {"limit": Profile.MAX_LINK})
        elif link and not _is_link(link):
            message = _("A link begins with https:// and has no blanks, accents or passwords.")
            yield Complaint(f"links.{place}", "invalid_link", message)


def _is_link(text: str) -> bool:
    """Return whether this is a plain https address: what a reader sees is where it leads."""
    try:
        _is_address(text)
    except ValidationError:
        return False
    authority = text.partition("://")[2].partition("/")[0]
    return text.isascii() and text.isprintable() and "@" not in authority
