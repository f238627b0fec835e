"""Serves the built documentation."""

import base64
import hashlib
import mimetypes
import re
from functools import lru_cache
from pathlib import Path

from csp.constants import SELF
from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils._os import safe_join
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

FRESH_SECONDS = 300
KEPT_PAGES = 256
NOT_BUILT = "The documentation has not been built. Run `make docs`.\n"
_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


@require_safe
@cache_control(public=True, max_age=FRESH_SECONDS)
def show_document(request: HttpRequest, path: str = "") -> HttpResponse:
    """Return a page, or another file of the documentation."""
    if not (settings.DOCUMENTATION / "index.html").exists():
        return HttpResponse(NOT_BUILT, status=503, content_type="text/plain")
    file = _file_at(path)
    if file.is_dir() and path and not path.endswith("/"):
        return redirect(f"{request.path}/")
    if file.is_dir():
        file /= "index.html"
    if not file.is_file():
        raise Http404("no such page of the documentation")
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    response = HttpResponse(file.read_bytes(), content_type=kind)
    if kind == "text/html":
        scripts = _hashes(file, file.stat().st_mtime_ns)
        # Where `csp` looks for what a view adds.
        response._csp_update = {"script-src": scripts, "worker-src": [SELF]}  # type: ignore[attr-defined]  # noqa: SLF001
    return response


def _file_at(path: str) -> Path:
    try:
        return Path(safe_join(settings.DOCUMENTATION, path))
    except (SuspiciousFileOperation, ValueError):
        raise Http404("no such page of the documentation") from None


@lru_cache(maxsize=KEPT_PAGES)
def _hashes(file: Path, _changed_at: int) -> list[str]:
    """Return the sources of a policy that allow a page's own inline scripts."""
    digests = (hashlib.sha256(script).digest() for script in _SCRIPT.findall(file.read_bytes()))
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
