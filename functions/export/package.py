"""PURE: the files of the installable package: a module per function, tests and credits."""

from collections.abc import Mapping, Sequence

from functions.export.bundle import (
    Bundle,
    Piece,
    TestPiece,
    as_comment,
    module_names,
    one_line,
    package_name,
)
from functions.export.pytest_module import is_runnable, pytest_module
from functions.export.source_rewrite import Provider, helpers_used, import_lines, with_imports
from functions.source.scopes import scope_of

HELPERS = '''"""Helpers that functions and tests use without importing them."""

import asyncio


def log(*values, sep=" ", end="\\n", file=None, flush=False):
    """Print, as `log` does on the site."""
    print(*values, sep=sep, end=end, file=file, flush=flush)


def check(condition, message=""):
    """Assert, as a function."""
    if not condition:
        raise AssertionError(str(message) if message != "" else "check failed")


def synchronous(test):
    """Return a test that runs an asynchronous one to its end."""

    def run():
        asyncio.run(test())

    run.__module__ = test.__module__
    return run
'''


# Without this, pytest would also collect imported names as tests.
CONFTEST = '''"""Collects only tests that a test module defines itself."""


def pytest_pycollect_makeitem(collector, name, obj):
    is_imported = getattr(obj, "__module__", None) != collector.module.__name__
    return [] if is_imported and callable(obj) else None
'''


def package_files(bundle: Bundle) -> dict[str, str]:
    """Return the text of the package's modules by path."""
    everything = [*bundle.pieces, *bundle.extras]
    modules = module_names(piece.name for piece in everything)
    top = package_name(bundle.name)
    files = {
        f"{top}/__init__.py": _initial(bundle, modules),
        f"{top}/_helpers.py": HELPERS,
        f"{top}/tests/__init__.py": _initial_of_tests(bundle, modules),
    }
    for place, piece in enumerate(everything):
        later = frozenset(other.name for other in everything[place + 1 :])
        files[f"{top}/{modules[piece.name]}.py"] = _module(piece, everything, later, modules)
    for test in bundle.tests:
        if is_runnable(test.code):
            path = f"{top}/tests/test_{modules[test.function]}_{test.number}.py"
            files[path] = module_of_test(
                test, everything, modules, prefix="..", helpers=".._helpers"
            )
    offered = frozenset().union(*(scope_of(piece.code).public for piece in everything))
    if any(name.lower().startswith("test") for name in offered):
        files[f"{top}/tests/conftest.py"] = CONFTEST
    return dict(sorted(files.items()))


def with_header(piece: Piece) -> list[str]:
    """Return the comment lines above an implementation.

    The first two have no text of users, as Python looks for an encoding declaration there.
    """
    lines = [f"# {piece.name}", "#"]
    if piece.signature.strip():
        lines += [*as_comment(f"{piece.name}{one_line(piece.signature)}"), "#"]
    if piece.description.strip():
        lines += [*as_comment(piece.description), "#"]
    lines += [f"# {piece.credit}. {piece.name} belongs to {one_line(piece.owner)}."]
    return [*lines, *license_lines(piece)]


def license_lines(work: Piece | TestPiece) -> list[str]:
    """Return the comment line that states a work's license, if one is known."""
    return [f"# SPDX-License-Identifier: {work.license}"] if work.license else []


def _module(
    piece: Piece, everything: Sequence[Piece], later: frozenset[str], modules: dict[str, str]
) -> str:
    scope = scope_of(piece.code)
    providers = _providers(piece.uses, everything, modules, ".")
    lines = import_lines(piece.code, providers)
    after = import_lines(piece.code, providers, own=scope.bound)
    top = [
        *_helper_lines(piece.code, "._helpers"),
        *(lines[name] for name in lines if name not in later),
    ]
    bottom = [after[name] for name in after if name in later]
    if bottom:
        bottom = ["# Circular imports: these names are only needed by calls.", *bottom]
    return "\n".join(with_header(piece)) + "\n\n" + with_imports(piece.code, top, bottom)


def module_of_test(
    test: TestPiece,
    everything: Sequence[Piece],
    modules: Mapping[str, str],
    *,
    prefix: str,
    helpers: str,
) -> str:
    """Return the module of a test; `prefix` leads to the modules of functions."""
    providers = _providers((test.function, *test.uses), everything, modules, prefix)
    lines = [*_helper_lines(test.code, helpers), *import_lines(test.code, providers).values()]
    lines += [
        f"from {prefix}{modules[test.function]} import {test.function} as {name}"
        for name in test.given
    ]
    offered = (scope_of(provider.piece.code).public for provider in providers)
    bound = frozenset().union(*offered, helpers_used(test.code), test.given)
    head = [f"# {test.function}, test {test.number}", "#", f"# {test.credit}."]
    head += license_lines(test)
    return "\n".join(head) + "\n\n" + pytest_module(test, lines, bound, helpers=helpers)


def _providers(
    uses: Sequence[str], everything: Sequence[Piece], modules: Mapping[str, str], prefix: str
) -> list[Provider]:
    used = (piece for piece in everything if piece.name in uses)
    return [Provider(piece, f"{prefix}{modules[piece.name]}") for piece in used]


def _helper_lines(code: str, module: str) -> list[str]:
    used = helpers_used(code)
    return [f"from {module} import {', '.join(used)}"] if used else []


def _initial(bundle: Bundle, modules: dict[str, str]) -> str:
    lines = [f"# {bundle.name}, with all that it uses", "#", "# Dependencies come first."]
    lines += [f"from .{modules[piece.name]} import {piece.name}" for piece in bundle.pieces]
    listed = "".join(f'    "{piece.name}",\n' for piece in bundle.pieces)
    return "\n".join(lines) + f"\n\n__all__ = [\n{listed}]\n"


def _initial_of_tests(bundle: Bundle, modules: dict[str, str]) -> str:
    if not bundle.extras:
        return ""
    lines = ["# Only tests use these. Dependencies come first."]
    lines += [f"from ..{modules[piece.name]} import {piece.name}" for piece in bundle.extras]
    return "\n".join(lines) + "\n"
