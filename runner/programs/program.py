"""Programs in a canonical JSON form, whose hash is their key."""

import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from runner.sandbox import INTERPRETER, RUNTIME_VERSION, Limits, Module, Program

# A module in the canonical form: name, hash of the source, names of modules it may use.
ModuleRow = tuple[str, str, tuple[str, ...]]
# Placeholder for the last module; no encoded module contains it.
_PLACEHOLDER = "\0"


@dataclass(frozen=True, slots=True)
class PreparedProgram:
    """A program to submit; `sources` are its modules' texts by hash."""

    key: bytes
    text: str  # the canonical form, as JSON
    sources: Mapping[bytes, str]
    tag: str = ""

    @property
    def canonical(self) -> dict[str, Any]:
        """The canonical form, decoded."""
        form: dict[str, Any] = json.loads(self.text)
        return form

    @property
    def is_load_check(self) -> bool:
        """True for a program that only loads its subject."""
        # The arguments, which may hold anything, come before the entry.
        return self.text.rpartition('"entry":')[2].startswith('"load"')


def normalise_source(text: str) -> str:
    """Return the text with LF line ends, so that sources don't differ in these only."""
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
    """Return the program with its key; raises `Refused` if the sandbox could not run it.

    The key depends on the content only, not on row ids.
    """
    limits = limits or Limits()
    Program(tuple(modules), entry, subject, limits, kind=kind)  # validates
    texts = [normalise_source(module.source) for module in modules]
    hashes = [_digest(text) for text in texts]
    rows = [
        module_row(module.name, sha256, module.binds)
        for module, sha256 in zip(modules, hashes, strict=True)
    ]
    text = _text(_canonical(rows, entry, subject, limits, arguments, kind=kind, returns=returns))
    return PreparedProgram(_digest(text), text, dict(zip(hashes, texts, strict=True)), tag)


def stored_program(key: bytes, canonical: Mapping[str, Any], tag: str) -> PreparedProgram:
    """Return the program of a stored execution; `sources` is empty, as they are stored."""
    return PreparedProgram(key, _text(canonical), {}, tag)


def module_row(name: str, sha256: bytes, binds: Iterable[str]) -> ModuleRow:
    """Return a module's row in the canonical form."""
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
    """Return the key of the program of these modules, in the current runtime or another one."""
    return _digest(_text(_canonical(rows, entry, subject, Limits(), None, runtime, kind, returns)))


def keys_in_runtime(program: PreparedProgram, runtime: str) -> set[bytes]:
    """Return the possible keys of the program in another runtime.

    The canonical form of older runtimes had no `returns`.
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
    """Return a function that computes a program's key from its last module.

    For many programs that share all other modules: these are encoded and hashed only once.
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
    """The program was made for another runtime version than this process's."""


def build_program(key: bytes, canonical: Mapping[str, Any], sources: Mapping[str, str]) -> Program:
    """Return the program for the sandbox; `sources` has texts by hexadecimal hash.

    Raises RuntimeMismatch, so that a result always comes from the runtime in its key.
    """
    if canonical["runtime"] != RUNTIME_VERSION:
        raise RuntimeMismatch(
            f"made for runtime {canonical['runtime']}; this worker's is {RUNTIME_VERSION}, with"
            f" {INTERPRETER}. All processes of a site need the same Python, or the same"
            " SOCIALCODE_SANDBOX_PYTHON, and the same version of the site"
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
    # Defaults are left out, so that programs keep the keys from before these fields existed.
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
