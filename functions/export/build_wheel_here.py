"""Build backend (PEP 517) of exported packages, without dependencies; sdists include it."""

import base64
import hashlib
import io
import pathlib
import zipfile
from collections.abc import Mapping

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first time of zip files; fixed for reproducible wheels
WHEEL = """\
Wheel-Version: 1.0
Generator: socialcode (1)
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(
    wheel_directory: str,
    config_settings: object = None,  # noqa: ARG001 - as PEP 517 has it
    metadata_directory: object = None,  # noqa: ARG001
) -> str:
    """Write the wheel of the package beside this file; return the wheel's name."""
    here = pathlib.Path(__file__).parent
    metadata = (here / "PKG-INFO").read_bytes()
    head = dict(line.split(": ", 1) for line in metadata.decode().split("\n\n")[0].splitlines())
    stem = f"{head['Name'].replace('-', '_')}-{head['Version']}"
    modules = {
        path.relative_to(here).as_posix(): path.read_bytes()
        for path in (*here.glob("socialcode_*/**/*.py"), *here.glob("sc/*.py"))
    }
    (pathlib.Path(wheel_directory) / wheel_name(stem)).write_bytes(
        make_wheel(stem, modules, metadata)
    )
    return wheel_name(stem)


def wheel_name(stem: str) -> str:
    """Return the file name of a wheel."""
    return f"{stem}-py3-none-any.whl"


def make_wheel(stem: str, modules: Mapping[str, bytes], metadata: bytes) -> bytes:
    """Return the content of a wheel; `modules` are the package's files by path."""
    files = dict(sorted(modules.items()))
    files[f"{stem}.dist-info/METADATA"] = metadata
    files[f"{stem}.dist-info/WHEEL"] = WHEEL.encode()
    rows = [f"{path},sha256={_hash(content)},{len(content)}" for path, content in files.items()]
    record = f"{stem}.dist-info/RECORD"
    files[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return target.getvalue()


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
