"""PURE: the package as a source archive with its own build backend."""

import gzip
import inspect
import io
import json
import tarfile
from collections.abc import Mapping

from functions.export import build_wheel_here
from functions.export.bundle import package_name, project_name
from functions.export.distribution import Distribution, distribution_name
from functions.export.wheel import Release, authors, metadata, readme, summary

_BUILDER = inspect.getsource(build_wheel_here)
# The metadata is in PKG-INFO, which the builder takes as it is.
_PYPROJECT = """\
[build-system]
requires = []
build-backend = "build_wheel_here"
backend-path = ["."]

[project]
name = {name}
version = "{version}"
dynamic = ["authors", "dependencies", "description", "license", "optional-dependencies", "readme",
  "requires-python", "urls"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"""


def sdist_name(release: Release) -> str:
    """Return the file's name."""
    return f"{release.stem}.tar.gz"


def sdist_bytes(release: Release) -> bytes:
    """Return the source archive, with a `pyproject.toml`."""
    files = release.files | {
        "PKG-INFO": metadata(release),
        "README.md": readme(release.bundle, release.version),
        "build_wheel_here.py": _BUILDER,
        "pyproject.toml": pyproject(release),
    }
    return _archive(release.stem, files)


def distribution_sdist(distribution: Distribution) -> tuple[str, bytes]:
    """Return the name and the content of a distribution's source archive, with its tests."""
    files = {
        **distribution.files,
        "PKG-INFO": distribution.metadata,
        "README.md": distribution.readme,
        "build_wheel_here.py": _BUILDER,
        "pyproject.toml": _PYPROJECT.format(
            name=_text(distribution_name(distribution.piece.name)), version=distribution.number
        ),
    }
    return f"{distribution.stem}.tar.gz", _archive(distribution.stem, files)


def _archive(stem: str, files: Mapping[str, str]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, text in sorted(files.items()):
            content = text.encode()
            entry = tarfile.TarInfo(f"{stem}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(target.getvalue(), mtime=0)


def pyproject(release: Release) -> str:
    """Return the text of `pyproject.toml`."""
    bundle = release.bundle
    license_line = f"license = {_text(bundle.license)}\n" if bundle.license else ""
    people = ", ".join(f"{{ name = {_text(author)} }}" for author in authors(bundle))
    return f"""\
[build-system]
requires = []
build-backend = "build_wheel_here"
backend-path = ["."]

[project]
name = {_text(project_name(bundle.name))}
version = {_text(release.version)}
description = {_text(summary(bundle))}
readme = "README.md"
requires-python = ">=3.11"
authors = [{people}]
{license_line}dependencies = {json.dumps(bundle.dependencies)}
optional-dependencies = {{ test = {json.dumps(bundle.test_dependencies)} }}

[tool.pytest.ini_options]
testpaths = ["{package_name(bundle.name)}/tests"]
"""


def _text(text: str) -> str:
    """Return printable text of one line as a TOML string."""
    return json.dumps(text, ensure_ascii=False)
