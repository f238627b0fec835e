"""Analyses of users' source: parsing, compiling, rewriting. They run in confined processes.

Processes that serve requests call `functions.analysis.client`, and import neither this module nor
those that it uses.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from functions.errors import Refusal, TooLarge
from functions.export.bundle import Bundle, Piece, TestPiece
from functions.export.distribution_modules import distribution_files
from functions.export.package import package_files
from functions.export.single_file import single_file
from functions.module_import.plan import names_to_look_up, plan_import
from functions.source.exports import exports
from functions.source.formatter import format_code
from functions.source.literals import read_literals
from functions.source.signatures import outline, starter
from functions.source.unbound_names import unbound_names
from functions.source.validation import describe_first
from runner.analysis.analyst import Analyst
from runner.sandbox.language.compilation import check, complaints
from runner.sandbox.language.importable import IMPORTABLE

Answer = Mapping[str, Any]


def _check(code: str) -> Answer:
    found = check(code, name="code")
    return {"complaints": [asdict(one) for one in found.complaints], "is_empty": found.is_empty}


def _check_draft(code: str, received: list[str]) -> Answer:
    try:
        unbound = unbound_names(code, received)
    except (SyntaxError, ValueError, RecursionError):
        unbound = []
    return {**_check(code), "unbound": [asdict(one) for one in unbound]}


def _exports(code: str) -> list[dict[str, Any]]:
    try:
        return [asdict(one) for one in exports(code)]
    except (SyntaxError, ValueError):
        return []


def _policy_faults(codes: list[str]) -> list[str]:
    return [describe_first(complaints(code, name="code")) for code in codes]


def _names_to_look_up(module: str, tests: str) -> list[str]:
    return sorted(names_to_look_up(module, tests))


def _plan(module: str, tests: str, known: dict[str, str]) -> Answer:
    return asdict(plan_import(module, tests, known=known, importable=IMPORTABLE))


def _export(name: str, **content: list[dict[str, Any]]) -> Answer:
    bundle = Bundle(
        name=name,
        pieces=tuple(map(_piece, content["pieces"])),
        extras=tuple(map(_piece, content["extras"])),
        tests=tuple(map(_test_piece, content["tests"])),
    )
    return {"files": package_files(bundle), "single": single_file(bundle)}


def _distribution(
    piece: dict[str, Any],
    used: list[dict[str, Any]],
    tests: list[dict[str, Any]],
    used_by_tests: list[dict[str, Any]],
    circle: list[str],
) -> Answer:
    return distribution_files(
        _piece(piece),
        [_piece(one) for one in used],
        [_test_piece(one) for one in tests],
        [_piece(one) for one in used_by_tests],
        circle,
    )


def _piece(content: dict[str, Any]) -> Piece:
    return Piece(**{**content, "uses": tuple(content["uses"])})


def _test_piece(content: dict[str, Any]) -> TestPiece:
    return TestPiece(
        **{**content, "uses": tuple(content["uses"]), "given": tuple(content["given"])}
    )


def _outline(code: str, name: str) -> list[dict[str, Any]]:
    return [asdict(method) for method in outline(code, name)]


def _refusing(function: Callable[..., Any]) -> Callable[[Any], Answer]:
    """Return a function that returns a value or the content of a refusal, for the client."""

    def answer(request: Any) -> Answer:
        try:
            return {"value": function(**request)}
        except Refusal as refusal:
            return {
                "refused": {
                    "is_too_large": isinstance(refusal, TooLarge),
                    "code": refusal.code,
                    "message": refusal.message,
                    "field": refusal.field,
                    "line": refusal.line,
                    "column": refusal.column,
                    "errors": [asdict(one) for one in refusal.errors],
                }
            }

    return answer


analyst = Analyst(
    {
        "check": _refusing(_check),
        "check_draft": _refusing(_check_draft),
        "exports": _refusing(_exports),
        "format": _refusing(format_code),
        "policy_faults": _refusing(_policy_faults),
        "names_to_look_up": _refusing(_names_to_look_up),
        "plan": _refusing(_plan),
        "export": _refusing(_export),
        "distribution": _refusing(_distribution),
        "literals": _refusing(read_literals),
        "outline": _refusing(_outline),
        "starter": _refusing(starter),
    }
)
