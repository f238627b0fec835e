"""Programs: what would be executed, in a canonical form whose hash is its key."""

import functools
import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from runner.sandbox import RUNTIME_VERSION, Limits, Module, Program

# A module as the canonical form has it: its name, its source's hash, whose names it is given.
ModuleRow = tuple[str, str, tuple[str, ...]]
# Stands for a module that is still to come; no module looks like it.
_PLACEHOLDER = "\0"


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """A program ready to submit; `sources` holds the texts that `text` names by their hashes."""

    key: bytes
    text: str  # its canonical form
    sources: Mapping[bytes, str]
    tag: str = ""

    @property
    def canonical(self) -> dict[str, Any]:
        """The canonical form, read."""
        form: dict[str, Any] = json.loads(self.text)
        return form


def normalise_source(text: str) -> str:
    """Return the text with line feeds as its only line ends: what differs in these is the same."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def source_hash(text: str) -> bytes:
    """Return the SHA-256 of the normalised text; raises ValueError for lone surrogates."""
    return _digest(normalise_source(text))


def make_program(
    *,
    modules: Sequence[Module],
    entry: str,
    subject: str,
    limits: Limits | None = None,
    tag: str = "",
    arguments: Mapping[str, Any] | None = None,
    kind: str = "function",
    returns: str = "",
) -> PreparedProgram:
    """Return the program with its key; raises `Refused` when the sandbox could not run it.

    The key holds no row numbers: the same code under the same names, entered in the same way
    within the same limits, is the same program, whoever asks for it.
    """
    limits = limits or Limits()
    Program(tuple(modules), entry, subject, limits, kind=kind)  # refuses what cannot be run
    texts = [normalise_source(module.source) for module in modules]
    hashes = [_digest(text) for text in texts]
    rows = [
        module_row(module.name, sha256, module.binds)
        for module, sha256 in zip(modules, hashes, strict=True)
    ]
    text = _text(_canonical(rows, entry, subject, limits, arguments, kind=kind, returns=returns))
    return PreparedProgram(_digest(text), text, dict(zip(hashes, texts, strict=True)), tag)


def stored_program(key: bytes, canonical: Mapping[str, Any], tag: str) -> PreparedProgram:
    """Return a program that is stored, with all of its sources."""
    return PreparedProgram(key, _text(canonical), {}, tag)


def module_row(name: str, sha256: bytes, binds: Iterable[str]) -> ModuleRow:
    """Return a module as the canonical form has it."""
    return name, sha256.hex(), tuple(sorted(set(binds)))


def program_key(
    rows: Sequence[ModuleRow],
    *,
    entry: str,
    subject: str,
    runtime: str = "",
    kind: str = "function",
    returns: str = "",
) -> bytes:
    """Return the key of the program of these modules, whose sources needn't be at hand.

    It is that under the present runtime version, or under another.
    """
    return _digest(_text(_canonical(rows, entry, subject, Limits(), None, runtime, kind, returns)))


def keys_in_runtime(program: PreparedProgram, runtime: str) -> set[bytes]:
    """Return the keys that the same program may have in another runtime.

    Older ones didn't know what a function returns.
    """
    form = {**program.canonical, "runtime": runtime}
    older = {name: part for name, part in form.items() if name != "returns"}
    return {_digest(_text(form)), _digest(_text(older))}


def last_module_key_builder(
    rows: Sequence[ModuleRow],
    *,
    entry: str,
    subject: str,
    runtime: str = "",
    kind: str = "function",
    returns: str = "",
) -> Callable[[ModuleRow], bytes]:
    """Return what gives the keys of programs that have these modules, and then one more.

    What they share is put into its canonical form and hashed once.
    """
    form = _canonical([*rows, _PLACEHOLDER], entry, subject, Limits(), None, runtime, kind, returns)
    text = _text(form)
    head, tail = text.split(json.dumps(_PLACEHOLDER))
    prefix = hashlib.sha256(head.encode())

    def key(last: ModuleRow) -> bytes:
        digest = prefix.copy()
        digest.update((_row_text(last) + tail).encode())
        return digest.digest()

    return key


class RuntimeMismatch(ValueError):
    """A program's key stands for another runtime than this process has."""


def build_program(key: bytes, canonical: Mapping[str, Any], sources: Mapping[str, str]) -> Program:
    """Return what the sandbox runs; `sources` are texts by hash in hexadecimal.

    What runs here must not count as a result of another Python.
    """
    if canonical["runtime"] != RUNTIME_VERSION:
        raise RuntimeMismatch(
            f"made for runtime {canonical['runtime']}; this worker's is {RUNTIME_VERSION}, with"
            f" Python {platform.python_version()}. All processes of a site need the same Python"
            " and the same version of the site"
        )
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
        kind=canonical.get("kind", "function"),
        returns=canonical.get("returns", ""),
    )


def _canonical(
    rows: Sequence[ModuleRow | str],
    entry: str,
    subject: str,
    limits: Limits,
    arguments: Mapping[str, Any] | None,
    runtime: str = "",
    kind: str = "function",
    returns: str = "",
) -> dict[str, Any]:
    form: dict[str, Any] = {
        "modules": [row if isinstance(row, str) else list(row) for row in rows],
        "entry": entry,
        "subject": subject,
        "arguments": None if arguments is None else dict(arguments),
        "limits": _limits_by_name(limits),
        "runtime": runtime or RUNTIME_VERSION,
    }
    # Programs have the keys that they had before there was more to be said.
    if kind != "function":
        form["kind"] = kind
    if returns:
        form["returns"] = returns
    return form


@functools.lru_cache(maxsize=100)
def _limits_by_name(limits: Limits) -> dict[str, int]:
    return asdict(limits)


@functools.lru_cache(maxsize=10_000)
def _row_text(row: ModuleRow) -> str:
    return _text(row)


def _text(canonical: object) -> str:
    return json.dumps(canonical, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
