"""What is done with people's source: parsed, compiled, rewritten. Called in confined processes.

Nothing of this, nor anything that it imports to that end, is used by a process that serves
requests: these ask `functions.analysis`.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from functions.errors import Refusal, TooLarge
from functions.export.bundle import Bundle, Piece, TestPiece
from functions.export.package import package_files
from functions.export.single_file import single_file
from functions.module_import.plan import names_to_look_up, plan_import
from functions.source.literals import read_literals
from functions.source.signatures import outline, parameters
from functions.source.validation import describe_first
from runner.analysis.analyst import Analyst
from runner.sandbox.language.compilation import check, complaints
from runner.sandbox.language.importable import IMPORTABLE

Answer = Mapping[str, Any]


def _check(asked: Any) -> Answer:
    found = check(asked["code"], name="code")
    return {"complaints": [asdict(one) for one in found.complaints], "is_empty": found.is_empty}


def _policy_faults(asked: Any) -> list[str]:
    return [describe_first(complaints(code, name="code")) for code in asked["codes"]]


def _names_asked_for(asked: Any) -> list[str]:
    return sorted(names_to_look_up(asked["module"], asked["tests"]))


def _plan(asked: Any) -> Answer:
    plan = plan_import(asked["module"], asked["tests"], known=asked["known"], importable=IMPORTABLE)
    return asdict(plan)


def _export(asked: Any) -> Answer:
    bundle = Bundle(
        name=asked["name"],
        pieces=tuple(_piece(one) for one in asked["pieces"]),
        extras=tuple(_piece(one) for one in asked["extras"]),
        tests=tuple(TestPiece(**{**one, "uses": tuple(one["uses"])}) for one in asked["tests"]),
    )
    return {"files": package_files(bundle), "single": single_file(bundle)}


def _piece(content: dict[str, Any]) -> Piece:
    return Piece(**{**content, "uses": tuple(content["uses"])})


def _literals(asked: Any) -> Answer:
    return read_literals(asked["text"])


def _outline(asked: Any) -> list[dict[str, Any]]:
    return [asdict(method) for method in outline(asked["code"], asked["name"])]


def _parameters(asked: Any) -> list[str]:
    return parameters(asked["signature"])


def _refusing(function: Callable[[Any], Any]) -> Callable[[Any], Answer]:
    """Return the function as one whose refusal is an answer."""

    def answer(asked: Any) -> Answer:
        try:
            return {"value": function(asked)}
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
        "policy_faults": _refusing(_policy_faults),
        "names_asked_for": _refusing(_names_asked_for),
        "plan": _refusing(_plan),
        "export": _refusing(_export),
        "literals": _refusing(_literals),
        "outline": _refusing(_outline),
        "parameters": _refusing(_parameters),
    }
)
