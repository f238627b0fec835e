"""PURE: the package as a source archive with its own build backend."""

import gzip
import io
import json
import tarfile

from functions.export.bundle import package_name, project_name
from functions.export.wheel import Release, authors, metadata, readme, summary

BUILDER = '''"""Builds the wheel: with nothing but Python, so that it works without a network."""

import base64
import hashlib
import pathlib
import zipfile

HERE = pathlib.Path(__file__).parent
WHEEL = """\\
Wheel-Version: 1.0
Generator: socialcode (1)
Root-Is-Purelib: true
Tag: py3-none-any
\"\"\"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    metadata = (HERE / "PKG-INFO").read_text(encoding="utf-8")
    head = dict(line.split(": ", 1) for line in metadata.split("\\n\\n")[0].splitlines())
    stem = f"{head['Name'].replace('-', '_')}-{head['Version']}"
    files = {
        path.relative_to(HERE).as_posix(): path.read_bytes()
        for path in sorted(HERE.glob("socialcode_*/**/*.py"))
    }
    files[f"{stem}.dist-info/METADATA"] = metadata.encode()
    files[f"{stem}.dist-info/WHEEL"] = WHEEL.encode()
    rows = [f"{path},sha256={digest(content)},{len(content)}" for path, content in files.items()]
    record = f"{stem}.dist-info/RECORD"
    files[record] = "\\n".join([*rows, f"{record},,", ""]).encode()
    name = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
'''


def sdist_name(release: Release) -> str:
    """Return the file's name."""
    return f"{release.stem}.tar.gz"


def sdist_bytes(release: Release) -> bytes:
    """Return the source archive, with a `pyproject.toml`."""
    files = release.files | {
        "PKG-INFO": metadata(release),
        "README.md": readme(release.bundle, release.version),
        "build_wheel_here.py": BUILDER,
        "pyproject.toml": pyproject(release),
    }
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, text in sorted(files.items()):
            content = text.encode()
            entry = tarfile.TarInfo(f"{release.stem}/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(target.getvalue(), mtime=0)


def pyproject(release: Release) -> str:
    """Return the text of `pyproject.toml`; the package has no dependencies."""
    bundle = release.bundle
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
dependencies = []
optional-dependencies = {{ test = ["pytest"] }}

[tool.pytest.ini_options]
testpaths = ["{package_name(bundle.name)}/tests"]
"""


def _text(text: str) -> str:
    """Return printable text of one line as a TOML string."""
    return json.dumps(text, ensure_ascii=False)
