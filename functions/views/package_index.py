"""The package index: names, files and metadata of releases, as installers ask for them.

By the simple repository API, version 1.1, in HTML and JSON (PEP 503, 592, 691, 700 and 714).
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import override
from django.views.decorators.http import require_safe

from functions.export.distribution import REQUIRES_PYTHON, normalise
from functions.models import ReleaseFile
from functions.read_models.releases import (
    IndexFile,
    files_of,
    newest_project,
    project_names,
)
from functions.views.responses import answer_refusals

VERSION = "1.1"
_HTML = "text/html"
_TYPES = {  # of answers by what is asked for, the default first
    _HTML: "text/html; charset=utf-8",
    "application/vnd.pypi.simple.v1+html": "application/vnd.pypi.simple.v1+html; charset=utf-8",
    "application/vnd.pypi.simple.v1+json": "application/vnd.pypi.simple.v1+json",
    "application/vnd.pypi.simple.latest+json": "application/vnd.pypi.simple.v1+json",
    "application/json": "application/vnd.pypi.simple.v1+json",
}
_NOT_ACCEPTABLE = 406
_KEEP_SECONDS = 365 * 24 * 3_600
_CONTENT_TYPES = {".whl": "application/zip", ".gz": "application/gzip"}


@require_safe
def list_projects(request: HttpRequest) -> HttpResponse:
    """List all projects: functions that have had a release."""
    newest = newest_project()
    return _answer(request, lambda kind: _list_of(newest, kind))


@require_safe
@answer_refusals
def show_project(request: HttpRequest, project: str) -> HttpResponse:
    """List the files of a project's releases."""
    normal = normalise(project)
    if normal != project:
        return redirect("package-index-project", normal, permanent=True)
    files = files_of(project)
    return _answer(request, lambda kind: _hashed(_project(project, files, kind)))


@require_safe
def download_file(request: HttpRequest, filename: str) -> HttpResponse:
    """Return a file of a release; it never changes."""
    files = ReleaseFile.objects.defer("content", "metadata")
    file = get_object_or_404(files, filename=filename.replace("\0", ""))
    kind = next(kind for ending, kind in _CONTENT_TYPES.items() if filename.endswith(ending))
    return _kept(request, file.sha256, kind, lambda: bytes(file.content))


@require_safe
def download_metadata(request: HttpRequest, filename: str) -> HttpResponse:
    """Return the metadata of a wheel, so that installers needn't read the wheel."""
    wheels = ReleaseFile.objects.exclude(metadata_sha256="").defer("content", "metadata")
    file = get_object_or_404(wheels, filename=filename.replace("\0", ""))
    kind = "text/plain; charset=utf-8"
    return _kept(request, file.metadata_sha256, kind, file.metadata.encode)


class _Content(NamedTuple):
    """An answer with its SHA-256, which takes longer than all else for a large site."""

    text: bytes
    sha256: str


def _hashed(text: bytes) -> _Content:
    return _Content(text, hashlib.sha256(text).hexdigest())


def _answer(request: HttpRequest, render: Callable[[str], _Content]) -> HttpResponse:
    kind = request.get_preferred_type(list(_TYPES))
    if kind is None:
        return HttpResponse(
            f"This index is served as {', '.join(_TYPES)}.\n",
            status=_NOT_ACCEPTABLE,
            content_type="text/plain; charset=utf-8",
        )
    content = render(_TYPES[kind])
    answer = _conditional(request, content.sha256, lambda: content.text)
    if answer.status_code == HttpResponse.status_code:
        answer["Content-Type"] = _TYPES[kind]
    answer["Cache-Control"] = "no-cache"
    patch_vary_headers(answer, ["Accept"])
    return answer


def _kept(
    request: HttpRequest, sha256: str, content_type: str, read: Callable[[], bytes]
) -> HttpResponse:
    answer = _conditional(request, sha256, read)
    answer["Content-Type"] = content_type
    answer["Cache-Control"] = f"public, max-age={_KEEP_SECONDS}, immutable"
    return answer


def _conditional(request: HttpRequest, sha256: str, read: Callable[[], bytes]) -> HttpResponse:
    """Return the content, or 304 if the client has it."""
    etag = f'"{sha256}"'
    answer = get_conditional_response(request, etag=etag) or HttpResponse(read())
    answer["ETag"] = etag
    return answer


# --- content --------------------------------------------------------------------------------------


@lru_cache(maxsize=3)
def _list_of(newest: int, content_type: str) -> _Content:
    names = project_names(newest)
    if content_type.endswith("json"):
        return _hashed(_json({"projects": [{"name": name} for name in names]}))
    links = [{"url": f"{name}/", "text": name, "attributes": {}} for name in names]
    return _hashed(_html("Simple index", links))


def _project(project: str, files: Sequence[IndexFile], content_type: str) -> bytes:
    with override("en"):  # the same for every client
        if content_type.endswith("json"):
            versions = list(dict.fromkeys(file.version for file in files))
            listed = [_as_json(file) for file in files]
            return _json({"name": project, "versions": versions, "files": listed})
        return _html(f"Links for {project}", [_as_link(file) for file in files])


def _as_json(file: IndexFile) -> dict[str, Any]:
    return {
        "filename": file.filename,
        "url": reverse("package-file", args=[file.filename]),
        "hashes": {"sha256": file.sha256},
        "requires-python": REQUIRES_PYTHON,
        "size": file.size,
        "upload-time": file.created_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "yanked": file.yanked or False,
        "core-metadata": {"sha256": file.metadata_sha256} if file.metadata_sha256 else False,
    }


def _as_link(file: IndexFile) -> dict[str, Any]:
    attributes = {"data-requires-python": REQUIRES_PYTHON}
    if file.metadata_sha256:
        attributes["data-core-metadata"] = f"sha256={file.metadata_sha256}"
    if file.yanked:
        attributes["data-yanked"] = file.yanked
    url = reverse("package-file", args=[file.filename])
    return {
        "url": f"{url}#sha256={file.sha256}",
        "text": file.filename,
        "attributes": attributes,
    }


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps({"meta": {"api-version": VERSION}, **content}).encode()


def _html(title: str, links: Sequence[dict[str, Any]]) -> bytes:
    context = {"version": VERSION, "title": title, "links": links}
    return render_to_string("functions/package_index.html", context).encode()
