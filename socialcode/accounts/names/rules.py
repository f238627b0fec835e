"""Rules for user names: common characters of one script, not reserved, not similar to others."""

import re
import unicodedata
from collections.abc import Collection
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.db.models.signals import post_save
from django.urls import URLResolver, get_resolver
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from functions.people.deleted_accounts import is_deleted_name
from socialcode.accounts.models import UsernameSkeleton
from socialcode.accounts.names.skeletons import skeleton_of

RESERVED = (
    "about abuse account accounts admin administrator anonymous api blog bot contact deleted"
    " everybody everyone false ftp help host hostmaster info legal library localhost login logout"
    " mail me media moderation moderator moderators news no-reply nobody noreply none null official"
    " operator owner postmaster privacy register root security self settings signin signup site"
    " socialcode social-code somebody staff static status superuser support system team terms true"
    " undefined unknown webmaster wiki ws www you"
).split()
RETIRED = "retired:"  # begins no skeleton, as these have no colons
# Scripts that a name may mix, for Chinese, Japanese and Korean.
EAST_ASIAN = frozenset("BOPOMOFO CJK HANGUL HIRAGANA KATAKANA KATAKANA-HIRAGANA".split())
SCRIPTS = EAST_ASIAN | frozenset(
    "ARABIC ARMENIAN BENGALI CYRILLIC DEVANAGARI ETHIOPIC GEORGIAN GREEK GUJARATI GURMUKHI HEBREW"
    " KANNADA KHMER LAO LATIN MALAYALAM MYANMAR ORIYA SINHALA TAMIL TELUGU THAANA THAI".split()
)


class NameTaken(ValidationError):
    """Raised if a name was taken after it was checked."""

    def __init__(self) -> None:
        message = _("A user with that username, or one that looks like it, already exists.")
        super().__init__(message, "unique")


def check_username(name: str, *, holder: User | None = None) -> None:
    """Raise ValidationError with the reason if the name can't be used for a new account.

    Or for that of `holder`, who may use their present and former names, and what looks like them.
    """
    _check_signs(name)
    skeleton = skeleton_of(name)
    if skeleton in _reserved():
        raise ValidationError(_("This name is reserved."), code="reserved")
    claims = UsernameSkeleton.objects.filter(skeleton__in=[skeleton, *_retired(skeleton)])
    if holder is not None:
        claims = claims.exclude(user=holder.pk)
    taken = claims.values_list("user__username", flat=True).first()
    if taken is None:
        return
    if is_deleted_name(taken):
        raise ValidationError(_("This name can't be chosen any more."), code="retired")
    if skeleton_of(taken) != skeleton:
        message = _("Somebody had this name, or one that looks like it. It stays theirs.")
        raise ValidationError(message, code="former")
    if name.casefold() == taken.casefold():
        raise ValidationError(_("A user with that username already exists."), code="unique")
    message = _("This looks like %(name)s, which is taken.") % {"name": taken}
    raise ValidationError(message, code="look_alike")


def register() -> None:
    """Connect the signal that claims the names of new accounts; called once."""
    post_save.connect(claim_username, sender=User)


def claim_username(
    *, instance: User, created: bool, update_fields: Collection[str] | None, **_: Any
) -> None:
    """Claim the skeleton of the user's name, unless another user has it; keep former ones."""
    if not created and update_fields is not None and "username" not in update_fields:
        return
    row = UsernameSkeleton(user=instance, skeleton=skeleton_of(instance.username))
    UsernameSkeleton.objects.bulk_create([row], ignore_conflicts=True)


def require_claim(user: User) -> None:
    """Raise IntegrityError unless this user has claimed the name, or if it was retired."""
    skeleton = skeleton_of(user.username)
    retired = UsernameSkeleton.objects.filter(skeleton__in=_retired(skeleton))
    claimed = UsernameSkeleton.objects.filter(user=user, skeleton=skeleton)
    if retired.exists() or not claimed.exists():
        raise IntegrityError(f"a name that looks like {user.username!a} is taken")


def retire_usernames(user: User) -> None:
    """Keep the user's names from being chosen again, without keeping the names."""
    claims = UsernameSkeleton.objects.filter(user=user)
    skeletons = {skeleton_of(user.username), *claims.values_list("skeleton", flat=True)}
    claims.delete()
    rows = [UsernameSkeleton(user=user, skeleton=_retired(each)[0]) for each in skeletons]
    UsernameSkeleton.objects.bulk_create(rows, ignore_conflicts=True)


def _retired(skeleton: str) -> list[str]:
    """Return what is stored of a retired name, by each secret key; the present one is first."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    digests = (salted_hmac(__name__, skeleton, key, algorithm="sha256") for key in keys)
    return [f"{RETIRED}{digest.hexdigest()}" for digest in digests]


def _check_signs(name: str) -> None:
    """Refuse names without letters, with uncommon characters, or of mixed scripts."""
    letters = [sign for sign in name if sign.isalpha()]
    if not any(sign.isalnum() for sign in name):
        raise ValidationError(_("A name has at least one letter or digit."), code="no_letter")
    for sign in name:
        if not sign.isascii() and not _is_known(sign):
            message = _("“%(sign)s” can't be part of a name.") % {"sign": sign}
            raise ValidationError(message, code="odd_sign")
    scripts = {_script_of(sign): sign for sign in letters}
    if len(scripts) > 1:
        one, other = list(scripts.values())[:2]
        message = _("“%(one)s” and “%(other)s” are of different alphabets. Choose letters of one.")
        raise ValidationError(message % {"one": one, "other": other}, code="mixed_scripts")


def _is_known(sign: str) -> bool:
    """Return whether a letter is in common use today."""
    if not sign.isalpha() or _script_of(sign) not in SCRIPTS:
        return False
    return _script_of(sign) != "LATIN" or skeleton_of(sign).isascii()


def _script_of(letter: str) -> str:
    first, _, _ = unicodedata.name(letter, "").partition(" ")
    return "CJK" if first in EAST_ASIAN else first


@cache
def _reserved() -> frozenset[str]:
    """Return the skeletons of reserved names, including the first segments of our URLs."""
    return frozenset(map(skeleton_of, [*RESERVED, *_first_segments(get_resolver())]))


def _first_segments(resolver: URLResolver) -> set[str]:
    segments: set[str] = set()
    for entry in resolver.url_patterns:
        route = str(entry.pattern).lstrip("^")
        if not route and isinstance(entry, URLResolver):
            segments |= _first_segments(entry)
        elif segment := re.match(r"[\w.-]+", route):
            segments.add(segment[0])
    return segments
