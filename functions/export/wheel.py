"""PURE: the package as a reproducible wheel."""

import base64
import hashlib
import io
import json
import zipfile
from collections.abc import Mapping

from functions.export.bundle import Bundle, credits_of, one_line, package_name, project_name

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file knows
_LONGEST_SUMMARY = 200
_WHEEL = """\
Wheel-Version: 1.0
Generator: socialcode (1)
Root-Is-Purelib: true
Tag: py3-none-any
"""


class Release:
    """One version of an export.

    `files` are the package's modules by path, `single` is the single-file variant.
    """

    def __init__(self, bundle: Bundle, files: Mapping[str, str], single: str) -> None:
        self.bundle = bundle
        self.files = dict(files)
        self.single = single
        content = [self.files, self.single, readme(bundle)]
        # A hash of all content.
        self.digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    @property
    def version(self) -> str:
        """The implementation's number, with a part of the digest as local version."""
        return f"{self.bundle.subject.number}+x{self.digest[:12]}"

    @property
    def stem(self) -> str:
        """The common prefix of file names."""
        return f"{project_name(self.bundle.name).replace('-', '_')}-{self.version}"


def readme(bundle: Bundle, version: str = "") -> str:
    """Return the text of the README."""
    subject, package = bundle.subject, package_name(bundle.name)
    title = f"# {bundle.name} {version}".rstrip()
    lines = [title, "", f"    {bundle.name}{one_line(subject.signature)}", ""]
    lines += [subject.description.strip(), ""] if subject.description.strip() else []
    lines += [
        *("```python", f"from {package} import {bundle.name}", "```", ""),
        f"Its tests run with `python -m pytest --pyargs {package}`; pytest is all they need.",
        *("", "## Who wrote it", ""),
        *(f"- {line}" for line in credits_of(bundle)),
    ]
    if bundle.extras:
        names = ", ".join(piece.name for piece in bundle.extras)
        lines += ["", f"Only tests use {names}."]
    return "\n".join(lines) + "\n"


def wheel_name(release: Release) -> str:
    """Return the wheel's file name."""
    return f"{release.stem}-py3-none-any.whl"


def wheel_bytes(release: Release) -> bytes:
    """Return the content of the wheel."""
    folder = f"{release.stem}.dist-info"
    files = release.files | {f"{folder}/METADATA": metadata(release), f"{folder}/WHEEL": _WHEEL}
    rows = [f"{path},sha256={_hash(text)},{len(text.encode())}" for path, text in files.items()]
    record = f"{folder}/RECORD"
    return _zip(files | {record: "\n".join([*rows, f"{record},,", ""])})


def metadata(release: Release) -> str:
    """Return the package's core metadata."""
    bundle = release.bundle
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project_name(bundle.name)}",
        f"Version: {release.version}",
        f"Summary: {summary(bundle)}",
        f"Author: {', '.join(authors(bundle))}",
        "Requires-Python: >=3.11",
        "Provides-Extra: test",
        'Requires-Dist: pytest; extra == "test"',
        "Description-Content-Type: text/markdown; charset=UTF-8",
    ]
    return "\n".join(lines) + "\n\n" + readme(bundle, release.version)


def summary(bundle: Bundle) -> str:
    """Return the first line of the description."""
    first = bundle.subject.description.strip().split("\n")[0]
    return one_line(first)[:_LONGEST_SUMMARY] or f"{bundle.name}, with all that it uses"


def authors(bundle: Bundle) -> list[str]:
    """Return the names of all authors."""
    names = [piece.author for piece in (*bundle.pieces, *bundle.extras)]
    names += [test.author for test in bundle.tests]
    return sorted(set(map(one_line, names)))


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _zip(files: Mapping[str, str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text.encode())
    return target.getvalue()
