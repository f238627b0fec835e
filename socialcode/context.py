"""Context processors of all pages."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from django.conf import settings
from django.urls import reverse
from django.utils.translation import get_language

from runner.operations.liveness import is_any_worker_alive


def workers(_request: object) -> dict[str, Callable[[], bool]]:
    """Return a function that returns whether no worker is running; templates call it on demand."""
    return {"is_nothing_run": lambda: not is_any_worker_alive()}


def languages(_request: object) -> dict[str, object]:
    """Return the page's language, and the address of its texts for scripts; none for English."""
    code = get_language() or settings.LANGUAGE_CODE
    version = catalogue_version(code)
    address = f"{reverse('texts', args=[code])}?{version}" if version else ""
    return {"LANGUAGE_CODE": code, "LANGUAGES": settings.LANGUAGES, "texts_url": address}


def mail(_request: object) -> dict[str, bool]:
    """Return whether a mail server is set up."""
    return {"sends_mail": settings.SENDS_MAIL}


@cache
def catalogue_version(code: str) -> str:
    """Return what changes with a language's texts for scripts; empty if it has none."""
    path = Path(settings.LOCALE_PATHS[0], code, "LC_MESSAGES", "djangojs.mo")
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""
