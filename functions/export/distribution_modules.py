"""PURE: the modules of a release: the function's own, and its tests."""

from collections.abc import Iterable, Sequence

from functions.export.bundle import Piece, TestPiece
from functions.export.distribution import NAMESPACE
from functions.export.package import CONFTEST, HELPERS, module_of_test, with_header
from functions.export.pytest_module import is_runnable
from functions.export.single_file import CHECK, LOG
from functions.export.source_rewrite import Provider, helpers_used, import_lines, with_imports
from functions.source.scopes import scope_of

_TEST_HELPERS = "sc_test_helpers"
_HELPERS = {"check": CHECK, "log": LOG}


def distribution_files(
    piece: Piece,
    used: Sequence[Piece],
    tests: Iterable[TestPiece],
    used_by_tests: Sequence[Piece],
    circle: Iterable[str],
) -> dict[str, str]:
    """Return the text of the function's module and of its tests, by path.

    `used` are the functions that it names. Those of its circle are imported at the end of the
    module, when its own names are defined.
    """
    files = {f"{NAMESPACE}/{piece.name}.py": _module(piece, used, frozenset(circle))}
    everything = [piece, *used_by_tests]
    modules = {each.name: f"{NAMESPACE}.{each.name}" for each in everything}
    runnable = [test for test in tests if is_runnable(test.code)]
    for test in runnable:
        files[f"tests/test_{piece.name.lower()}_{test.number}.py"] = module_of_test(
            test, everything, modules, prefix="", helpers=_TEST_HELPERS
        )
    if runnable:
        files |= {f"tests/{_TEST_HELPERS}.py": HELPERS, "tests/conftest.py": CONFTEST}
    return dict(sorted(files.items()))


def _module(piece: Piece, used: Sequence[Piece], circle: frozenset[str]) -> str:
    providers = [Provider(each, f"{NAMESPACE}.{each.name}") for each in used]
    lines = import_lines(piece.code, providers)
    after = import_lines(piece.code, providers, own=scope_of(piece.code).bound)
    helpers = [_HELPERS[name].rstrip() + "\n" for name in helpers_used(piece.code)]
    top = [*(line for name, line in lines.items() if name not in circle), *helpers]
    bottom = [line for name, line in after.items() if name in circle]
    if bottom:
        bottom = ["# Circular imports: these names are only needed by calls.", *bottom]
    return "\n".join(with_header(piece)) + "\n\n" + with_imports(piece.code, top, bottom)
