"""Programs: what would be executed, in a canonical form whose hash is its key."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from runner.sandbox import RUNTIME_VERSION, Limits, Module, Program


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """A program ready to submit; `sources` holds the texts that `canonical` names by hash."""

    key: bytes
    canonical: dict[str, Any]
    sources: dict[bytes, str]
    tag: str = ""


def normalise_source(text: str) -> str:
    """Return the text with line feeds as its only line ends: what differs in these is the same."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def source_hash(text: str) -> bytes:
    """Return the SHA-256 of the normalised text; raises ValueError for lone surrogates."""
    return hashlib.sha256(normalise_source(text).encode()).digest()


def make_program(
    *,
    modules: Sequence[Module],
    entry: str,
    subject: str,
    limits: Limits | None = None,
    tag: str = "",
    arguments: Mapping[str, Any] | None = None,
) -> PreparedProgram:
    """Return the program with its key; raises `Refused` when the sandbox could not run it.

    The key holds no row numbers: the same code under the same names, entered in the same way
    within the same limits, is the same program, whoever asks for it.
    """
    limits = limits or Limits()
    Program(tuple(modules), entry, subject, limits)  # refuses what cannot be run
    sources = {source_hash(module.source): normalise_source(module.source) for module in modules}
    canonical = {
        "modules": [
            [module.name, source_hash(module.source).hex(), sorted(set(module.binds))]
            for module in modules
        ],
        "entry": entry,
        "subject": subject,
        "arguments": None if arguments is None else dict(arguments),
        "limits": asdict(limits),
        "runtime": RUNTIME_VERSION,
    }
    return PreparedProgram(_key(canonical), canonical, sources, tag)


def build_program(key: bytes, canonical: Mapping[str, Any], sources: Mapping[str, str]) -> Program:
    """Return what the sandbox runs; `sources` are texts by hash in hexadecimal."""
    return Program(
        modules=tuple(
            Module(name, sources[sha256], tuple(binds))
            for name, sha256, binds in canonical["modules"]
        ),
        entry=canonical["entry"],
        subject=canonical["subject"],
        limits=Limits(**canonical["limits"]),
        seed=key,
        arguments=canonical["arguments"],
    )


def _key(canonical: Mapping[str, Any]) -> bytes:
    text = json.dumps(canonical, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).digest()
