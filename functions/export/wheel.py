"""PURE: a release of the package as a reproducible wheel."""

import hashlib
import json
from collections.abc import Mapping

from functions.export import build_wheel_here
from functions.export.bundle import Bundle, credits_of, one_line, package_name, project_name
from functions.export.distribution import NAMESPACE, Distribution

_LONGEST_SUMMARY = 200


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
    needed = " and ".join(bundle.test_dependencies)
    title = f"# {bundle.name} {version}".rstrip()
    lines = [title, "", f"    {bundle.name}{one_line(subject.signature)}", ""]
    lines += [subject.description.strip(), ""] if subject.description.strip() else []
    lines += [
        *("```python", f"from {package} import {bundle.name}", "```", ""),
        f"Run the tests with `python -m pytest --pyargs {package}`; they need {needed}.",
        *("", "## Who wrote it", ""),
        *(f"- {line}" for line in credits_of(bundle)),
    ]
    if bundle.license:
        lines += ["", f"License: {bundle.license}."]
    if bundle.extras:
        names = ", ".join(piece.name for piece in bundle.extras)
        lines += ["", f"Only tests use {names}."]
    return "\n".join(lines) + "\n"


def wheel_name(release: Release) -> str:
    """Return the wheel's file name."""
    return build_wheel_here.wheel_name(release.stem)


def wheel_bytes(release: Release) -> bytes:
    """Return the content of the wheel."""
    modules = {path: text.encode() for path, text in release.files.items()}
    return build_wheel_here.make_wheel(release.stem, modules, metadata(release).encode())


def distribution_wheel(distribution: Distribution) -> tuple[str, bytes]:
    """Return the name and the content of a distribution's wheel, which has no tests."""
    modules = {
        path: text.encode()
        for path, text in distribution.files.items()
        if path.startswith(f"{NAMESPACE}/")
    }
    content = build_wheel_here.make_wheel(
        distribution.stem, modules, distribution.metadata.encode()
    )
    return build_wheel_here.wheel_name(distribution.stem), content


def metadata(release: Release) -> str:
    """Return the package's core metadata."""
    bundle = release.bundle
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project_name(bundle.name)}",
        f"Version: {release.version}",
        f"Summary: {summary(bundle)}",
        f"Author: {', '.join(authors(bundle))}",
        *([f"License-Expression: {bundle.license}"] if bundle.license else []),
        "Requires-Python: >=3.11",
        "Provides-Extra: test",
        *(f"Requires-Dist: {name}" for name in bundle.dependencies),
        *(f'Requires-Dist: {name}; extra == "test"' for name in bundle.test_dependencies),
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
