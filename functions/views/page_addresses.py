"""Addresses of pages, which may have a host of their own."""

from urllib.parse import urlsplit

from django.conf import settings


def page_url(path: str) -> str:
    """Return the address of a page, on the host of pages if there is one."""
    if not settings.PAGES_HOST:
        return path
    return f"{urlsplit(settings.PUBLIC_URL).scheme}://{settings.PAGES_HOST}{path}"
