"""Lock files of releases: functions with all that they need, as of now or of any time."""

import json
from collections.abc import Callable, Mapping, Sequence

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import override
from django.views.decorators.http import require_safe

from functions.errors import Refusal
from functions.export.distribution import REQUIRES_PYTHON, distribution_name
from functions.models import Release, ReleaseFile
from functions.read_models.release_sets import files_of_set, parse_time, release_set

_Files = Mapping[int, Sequence[ReleaseFile]]


@require_safe
def show_lock(request: HttpRequest, filename: str) -> HttpResponse:
    """Return a lock file of the functions named in the query; an error is text, too."""
    with override("en"):  # for programs
        try:
            at = parse_time(request.GET.get("at", ""), field="at")
            releases = release_set(request.GET.getlist("function"), at=at)
            content, status = _FORMATS[filename](releases, files_of_set(releases)), 200
        except Refusal as refusal:
            content, status = f"# {refusal.code}: {refusal.message}\n", refusal.status
    answer = HttpResponse(content, status=status, content_type="text/plain; charset=utf-8")
    answer["Cache-Control"] = "no-cache"
    return answer


def _requirements(releases: Sequence[Release], files: _Files) -> str:
    lines = [f"--index-url {settings.PUBLIC_URL}{reverse('package-index')}"]
    for release in releases:
        hashes = "".join(f" \\\n    --hash=sha256:{file.sha256}" for file in files[release.pk])
        lines.append(f"{distribution_name(release.name)}=={release.number}{hashes}")
    return "\n".join(lines) + "\n"


def _pylock(releases: Sequence[Release], files: _Files) -> str:
    """Return a lock file by PEP 751."""
    lines = [
        'lock-version = "1.0"',
        'created-by = "social-code"',
        f"requires-python = {_text(REQUIRES_PYTHON)}",
    ]
    for release in releases:
        needed = ", ".join(
            f"{{ name = {_text(distribution_name(name))} }}" for name, _number in release.requires
        )
        lines += [
            "",
            "[[packages]]",
            f"name = {_text(distribution_name(release.name))}",
            f"version = {_text(str(release.number))}",
            f"requires-python = {_text(REQUIRES_PYTHON)}",
            f"index = {_text(settings.PUBLIC_URL + reverse('package-index'))}",
            *([f"dependencies = [{needed}]"] if needed else []),
        ]
        wheels = [file for file in files[release.pk] if file.metadata_sha256]
        lines += [f"sdist = {_file(file)}" for file in files[release.pk] if file not in wheels]
        lines += [f"wheels = [{', '.join(map(_file, wheels))}]"]
    return "\n".join(lines) + "\n"


def _file(file: ReleaseFile) -> str:
    url = settings.PUBLIC_URL + reverse("package-file", args=[file.filename])
    return (
        f"{{ name = {_text(file.filename)}, url = {_text(url)}, size = {file.size}, "
        f"hashes = {{ sha256 = {_text(file.sha256)} }} }}"
    )


def _text(text: str) -> str:
    """Return a text in TOML; JSON's escapes are TOML's as well."""
    return json.dumps(text)


_FORMATS: Mapping[str, Callable[[Sequence[Release], _Files], str]] = {
    "pylock.toml": _pylock,
    "requirements.txt": _requirements,
}
