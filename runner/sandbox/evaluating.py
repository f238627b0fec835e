"""`eval` and `exec` of user code: text under the policy, among the names of who runs it."""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Any

from runner.sandbox import names
from runner.sandbox.compilation import Uncompilable, compile_text
from runner.sandbox.exhaustion import Exhausted, heed
from runner.sandbox.guards import is_snapshot_of
from runner.sandbox.names import MARK
from runner.sandbox.ownership import Forbidden, guard_write
from runner.sandbox.writing import written

_FILE = "<string>"
_MOST_KEPT = 256
# What compiling calls before it lifts the recursion limit for itself.
_FRAMES = 30


def with_texts(home: dict[str, Any], offered: Mapping[str, Any]) -> dict[str, Any]:
    """A module's builtins: what is offered, with `eval`, `exec` and `setattr` of its own.

    Whose names a text is run among, and who changes a class, follows from which of them it is: the
    caller could be anybody, as of a method that is `functools.partial(exec, text)`.
    """
    builtins = dict(offered)

    def evaluate(source: Any, globals: Any = None, locals: Any = None, /) -> Any:  # noqa: A002
        return _run(_code(source, "eval"), globals, locals, home, builtins)

    def execute(source: Any, globals: Any = None, locals: Any = None, /) -> None:  # noqa: A002
        _run(_code(source, "exec"), globals, locals, home, builtins)

    def assign(thing: Any, name: str, value: Any, /) -> None:
        setattr(thing, name, written(thing, name, value, home["__name__"]))

    for name, function in (("eval", evaluate), ("exec", execute), ("setattr", assign)):
        function.__name__ = function.__qualname__ = name
        builtins[name] = function
    return builtins


class Homes:
    """Gives each module its globals, which are nothing but builtins at first.

    Some are made ahead, before forking: copying the builtins writes to every one of them, and most
    are on pages of memory that a small program leaves alone.
    """

    def __init__(self, offered: Mapping[str, Any], ahead: int = 0) -> None:
        self._offered = offered
        self._ahead = [self._made() for _ in range(ahead)]

    def __call__(self) -> dict[str, Any]:
        return self._ahead.pop() if self._ahead else self._made()

    def _made(self) -> dict[str, Any]:
        home: dict[str, Any] = {}
        home["__builtins__"] = with_texts(home, self._offered)
        return home


def error_of(refused: Uncompilable, source: str, file: str) -> Exception:
    """What running a text raises that isn't accepted."""
    if heed(refused.__context__):
        raise Exhausted from None
    first = refused.complaints[0]
    if first.code == "policy":
        return Forbidden(first.message)
    line = [*source.split("\n"), ""][first.line - 1]
    return SyntaxError(first.message, (file, first.line, first.column, line))


# --- text to code ---------------------------------------------------------------------------------


def _code(source: Any, mode: str) -> types.CodeType:
    if type(source) is bytes:
        source = source.decode("utf-8")
    if not issubclass(type(source), str):
        raise Forbidden("`eval` and `exec` run text only")
    # A plain one: a str of the user's own class could be read differently.
    text = str.__str__(source)
    return _kept_code(text.lstrip(" \t") if mode == "eval" else text, mode)


@functools.lru_cache(maxsize=_MOST_KEPT)
def _kept_code(text: str, mode: str) -> types.CodeType:
    _need(_FRAMES)
    try:
        return compile_text(text, name=_FILE, mode=mode)
    except Uncompilable as refused:
        error = error_of(refused, text, _FILE)
    raise error


def _need(frames: int) -> None:
    """Fail now, if the stack is too full for as many."""
    if frames:
        _need(frames - 1)


@functools.lru_cache(maxsize=_MOST_KEPT)
def _stored(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Which names a code sets by itself, and which functions and classes in it set as global."""
    stored: dict[str, set[str]] = {"STORE_NAME": set(), "STORE_GLOBAL": set()}
    for each in _within(code):
        for instruction in dis.get_instructions(each):
            if instruction.opname in stored and (each is code or "GLOBAL" in instruction.opname):
                stored[instruction.opname].add(instruction.argval)
    return frozenset(stored["STORE_NAME"]), frozenset(stored["STORE_GLOBAL"])


def _within(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            yield from _within(constant)


# --- names ----------------------------------------------------------------------------------------


def _run(
    code: types.CodeType,
    given: Any,
    given_local: Any,
    home: dict[str, Any],
    builtins: dict[str, Any],
) -> Any:
    """Run it in the names of its home, or in copies of what is given, which are handed back."""
    back: list[tuple[Any, dict[str, Any]]] = []
    if given is None:
        namespace, local = home, _seen_by_the_caller(home)
    elif is_snapshot_of(home, given):
        namespace = local = home
    else:
        namespace = local = _made_of(given, home, builtins)
        back.append((given, namespace))
    if given_local is not None and not is_snapshot_of(home, given_local):
        local = _plain(given_local)
        back.append((given_local, local))
    _check_stores(code, home, namespace, local)
    before = [_plain(copied) for _, copied in back]
    try:
        return eval(code, namespace, local)  # noqa: S307
    finally:
        for (to, copied), known in zip(back, before, strict=True):
            _hand_back(to, copied, known)


def _seen_by_the_caller(home: dict[str, Any]) -> dict[str, Any]:
    """The names themselves where these are all; of a function or class, a copy of its own."""
    frame: types.FrameType | None = sys._getframe(1)  # noqa: SLF001
    while frame is not None and MARK not in frame.f_globals:
        frame = frame.f_back
    if frame is None or frame.f_globals is not home:
        # Somebody else calls it, whose names are no concern of this text.
        return {}
    found: Any = frame.f_locals
    return home if found is home else _plain({name: found[name] for name in list(found)})


def _plain(given: Any) -> dict[str, Any]:
    """A copy without names that rewritten code and Python itself look up."""
    if not issubclass(type(given), dict):
        raise Forbidden("the names for a text must be in a dict")
    return {
        name: value
        for name, value in dict.items(given)
        if type(name) is str and not names.is_private_clash(name)
    }


def _made_of(given: Any, home: dict[str, Any], builtins: dict[str, Any]) -> dict[str, Any]:
    """Globals for a text with the given names; functions made there keep them."""
    namespace = {**_plain(given), "__name__": home["__name__"], MARK: True}
    namespace["__builtins__"] = offered = with_texts(namespace, builtins)
    theirs = dict.get(given, "__builtins__", offered)
    if theirs is None or (theirs is not offered and issubclass(type(theirs), dict)):
        # Fewer, as in `eval(text, {"__builtins__": {}})`; what guards stays.
        chosen = theirs or {}
        namespace["__builtins__"] = _guards(offered, chosen) | _plain(chosen)
    return namespace


def _guards(offered: dict[str, Any], chosen: dict[str, Any]) -> dict[str, Any]:
    return {
        name: thing
        for name, thing in offered.items()
        if names.RESERVED.fullmatch(name) or (names.is_private_clash(name) and name in chosen)
    }


def _check_stores(
    code: types.CodeType, home: dict[str, Any], namespace: dict[str, Any], local: dict[str, Any]
) -> None:
    """Of a module, the rewritten code relies on what builtins its own text leaves alone."""
    if namespace is not home:
        return
    by_itself, as_global = _stored(code)
    for name in as_global | (by_itself if local is home else frozenset()):
        if name in home["__builtins__"]:
            raise Forbidden(f"text can't set the builtin `{name}`; give `exec` a dict to set it in")


def _hand_back(to: Any, copied: dict[str, Any], known: dict[str, Any]) -> None:
    now = _plain(copied)
    changed = {
        name: value for name, value in now.items() if name not in known or known[name] is not value
    }
    gone = known.keys() - now.keys()
    if changed or gone:
        guard_write(to)
        for name, value in changed.items():
            to[name] = value
        for name in gone:
            to.pop(name, None)
