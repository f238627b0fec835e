"""PURE: code, signatures and descriptions of an import's drafts."""

import ast
import inspect
from collections.abc import Iterable, Mapping

from functions.module_import.parts import Part, join_parts
from functions.module_import.plan_types import PlannedFunction
from functions.names import name_key
from functions.source.markers import find_markers
from functions.source.scopes import scope_of

MAX_SIGNATURE_LENGTH = 500


def draft_code(taken: Iterable[Part], uses: Iterable[str]) -> str:
    """Return a draft's code; used functions without a marker are marked in a comment at the top."""
    parts = list(taken)
    marked = find_markers("\n".join(part.text for part in parts)).first_by_key()
    names = [f"<<{name}>>" for name in uses if name_key(name) not in marked]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
    return join_parts(f"# Uses {listed}." if names else "", parts)


def providers_of(drafts: Mapping[str, PlannedFunction]) -> dict[str, str]:
    """Return the function that provides each public name of the module that isn't a function."""
    providers: dict[str, str] = {}
    for draft in drafts.values():
        for name in sorted(scope_of(draft.code).public - drafts.keys()):
            providers.setdefault(name, draft.name)
    return providers


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the signature as text; empty if it is too long."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    signature = f"({ast.unparse(node.args)}){returns}"
    return signature if len(signature) <= MAX_SIGNATURE_LENGTH else ""


def description_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the function's docstring."""
    return inspect.cleandoc(ast.get_docstring(node) or "")


def tested_function(
    name: str, used: Iterable[str], drafts: Mapping[str, PlannedFunction], part: Part
) -> PlannedFunction | None:
    """Return the tested function: the one in the test's name, else the first that it uses."""
    candidates = [each for each in used if each in drafts]
    test_key = name_key(name.removeprefix("test_")).replace("_", "")
    named = [each for each in candidates if test_key.startswith(name_key(each).replace("_", ""))]
    if named:
        return drafts[max(named, key=len)]
    places = {each: part.text.find(each) for each in candidates}
    found = [each for each in candidates if places[each] >= 0] or candidates
    return drafts[min(found, key=lambda each: places[each])] if found else None
