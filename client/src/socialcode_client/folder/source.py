"""Code of the site as a file, and the file as code of the site again.

What a file has beside the code stands in blocks between two marks, which are left out on the way
back. Statements of a test at its top level become a function, marked as such. Imports that somebody
has written beside the blocks become what they are there: `from sc.Add import Add` is `# <<Add>>`.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from socialcode_client.folder.scopes import BUILTINS, scope_of

OPEN = "# >>> socialcode: added by `socialcode pull`, left out by `socialcode push`"
CLOSE = "# <<< socialcode"
UNWRAPPED = "# socialcode: on the site this stands at the top level"
_OPENS = re.compile(r"# >>> socialcode\b")
_CLOSES = re.compile(r"# <<< socialcode\s*$")
_WRAPPER = re.compile(rf"def \w+\(\):[ \t]*{re.escape(UNWRAPPED)}\s*$")
_IMPORT = re.compile(r"(?P<indent>\s*)from sc\.(?P<name>\w+) import\b")
_STEP = "    "
# Code that looks at its own names may behave differently in a function.
_INTROSPECTION = frozenset(
    {"globals", "locals", "vars", "dir", "eval", "exec", "__name__", "__doc__", "__file__"}
)


class Unmarked(ValueError):
    """A block has no end, or an end no block."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Original:
    """The code of a file; `lines` has the file's line, from 1, for each line of the code."""

    code: str
    lines: tuple[int, ...]
    indent: int = 0  # by how much it stands further to the right there

    def line_in_file(self, line: int) -> int:
        """Return where a line of the code stands in the file."""
        return self.lines[min(line, len(self.lines)) - 1] if self.lines and line > 0 else line


def normal(code: str) -> str:
    """Return code with line feeds as line ends, and one at its end."""
    text = "\n".join(code.splitlines()).rstrip("\n")
    return f"{text}\n" if text else ""


def as_file(code: str, top: Sequence[str], bottom: Sequence[str] = ()) -> str:
    """Return code with a block below its docstring, and another at its end."""
    code = normal(code)
    place = _place_of_imports(code)
    lines = code.splitlines(keepends=True)
    block = "".join(f"{line}\n" for line in (OPEN, *top, CLOSE))
    before, after = "".join(lines[:place]), "".join(lines[place:])
    for gap in ("\n", ""):
        text = f"{before}{gap if before else ''}{block}{gap}{after}"
        if _without_blocks(text).code == code:
            break
    if bottom:
        text += "\n\n" + "".join(f"{line}\n" for line in (OPEN, *bottom, CLOSE))
    return text


def original(text: str) -> Original:
    """Return the code of a file. Raises Unmarked."""
    return _unwrapped(_with_markers(_without_blocks(text)))


def _without_blocks(text: str) -> Original:
    kept: list[tuple[int, str]] = []
    opened = 0
    skip_blank = False
    for number, line in enumerate(text.splitlines(), start=1):
        if _OPENS.match(line):
            if opened:
                raise Unmarked(f"The block in line {opened} isn't closed.", opened)
            opened = number
            if kept and not kept[-1][1].strip():  # the blank line above a block belongs to it
                kept.pop()
        elif _CLOSES.match(line):
            if not opened:
                raise Unmarked("Nothing is opened that this line closes.", number)
            opened, skip_blank = 0, True
        elif not opened and not (skip_blank and not line.strip()):
            kept.append((number, line))
            skip_blank = False
        elif skip_blank:
            skip_blank = False
    if opened:
        raise Unmarked(f"The block in line {opened} isn't closed.", opened)
    return _trimmed(kept)


def _with_markers(found: Original) -> Original:
    """Return the code with markers in place of imports of functions."""
    lines = found.code.splitlines()
    place = 0
    while place < len(lines):
        match = _IMPORT.match(lines[place])
        if match:
            first = place
            while "(" in lines[first] and ")" not in lines[place] and place + 1 < len(lines):
                place += 1
            said = " ".join(lines[first : place + 1])
            if re.search(r"\bas\b", said.partition("#")[0]):
                raise Unmarked(
                    f"{match['name']} can't have another name on the site; import it without `as`.",
                    found.line_in_file(first + 1),
                )
            marker = f"{match['indent']}# <<{match['name']}>>"
            lines[first : place + 1] = ["" if match["name"] == "_site" else marker] + [""] * (
                place - first
            )
        place += 1
    return replace(found, code="".join(f"{line}\n" for line in lines))


def _trimmed(kept: list[tuple[int, str]]) -> Original:
    while kept and not kept[-1][1].strip():
        kept.pop()
    code = "".join(f"{line}\n" for _, line in kept)
    return Original(code, tuple(number for number, _ in kept))


def _unwrapped(found: Original) -> Original:
    """Return the body of the marked function, if there is nothing beside it."""
    lines = found.code.splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines or not _WRAPPER.match(lines[0]):
        return found
    skipped = len(found.lines) - len(lines) + 1
    body = lines[1:]
    try:
        inside = inside_strings("\n".join(lines))
        if len(ast.parse("\n".join(lines)).body) != 1:
            return found
    except SyntaxError:
        inside = frozenset()
    if any(
        line.strip() and not line.startswith(_STEP) and number not in inside
        for number, line in enumerate(body, start=2)
    ):
        return found
    dedented = [
        line if number in inside else line.removeprefix(_STEP)
        for number, line in enumerate(body, start=2)
    ]
    return Original("".join(f"{line}\n" for line in dedented), found.lines[skipped:], len(_STEP))


def wrapped(code: str, name: str, given: frozenset[str]) -> str | None:
    """Return top-level statements as a function, or None if that might change their meaning.

    `given` are the names that the module imports.
    """
    code = normal(code)
    tree = ast.parse(code)
    scope = scope_of(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global) or (
            isinstance(node, ast.ImportFrom)
            and (node.module == "__future__" or any(one.name == "*" for one in node.names))
        ):
            return None
    if scope.read & _INTROSPECTION or scope.bound & (given | BUILTINS) or not tree.body:
        return None
    inside = inside_strings(code)
    body = "".join(
        f"{_STEP}{line}\n" if line.strip() and number not in inside else f"{line}\n"
        for number, line in enumerate(code.splitlines(), start=1)
    )
    text = f"def {name}():  {UNWRAPPED}\n{body}"
    try:
        ast.parse(text)
    except SyntaxError:
        return None
    return text if original(text).code == code else None


def inside_strings(code: str) -> frozenset[int]:
    """Return the lines that begin within a string, whose indentation belongs to it."""
    within: set[int] = set()
    for node in ast.walk(ast.parse(code)):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        if (is_text or isinstance(node, ast.JoinedStr)) and isinstance(node, ast.expr):
            within.update(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1))
    return frozenset(within)


def _place_of_imports(code: str) -> int:
    """Return before which line, from 0, imports may stand: below a docstring and `__future__`."""
    last = 0
    body = ast.parse(code).body
    for place, node in enumerate(body):
        is_docstring = (
            place == 0
            and isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        )
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_docstring or is_future):
            # Several statements on one line: above all of them, which Python refuses for a future.
            return last
        last = node.end_lineno or last
        if place + 1 < len(body) and body[place + 1].lineno == last:
            return 0 if is_docstring else last
    return last
