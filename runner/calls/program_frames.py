"""The frames of programs that a client wants to be run at once: many in a request."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from runner.calls.frames import decode_outcome, encode_outcome, raise_error
from runner.sandbox import Case, Outcome, SandboxBroken, Verdict

# Of an outcome, what a result has that others see; the value of a loaded document is not.
_LEFT_OUT = frozenset({"value", "cases"})
# In JSON, of all outcomes of an answer together: beyond, their logs are cut.
MAX_LOG_CHARACTERS = 1_000_000

# The end of a program: its outcome, the reason why it has none, or None if time was up before.
Run = Outcome | SandboxBroken | None


@dataclass(frozen=True, slots=True)
class ProgramsRequest:
    """Programs to run for an owner within `seconds`, as (key, canonical form as JSON).

    `sources` has texts that the server may lack, by hexadecimal hash; `unsaved` those that it must
    not keep.
    """

    owner: str
    programs: Sequence[tuple[str, str]]
    seconds: float
    sources: Mapping[str, str] = field(default_factory=dict)
    unsaved: Mapping[str, str] = field(default_factory=dict)


def encode_programs(request: ProgramsRequest) -> dict[str, Any]:
    """Return the request as a frame's content."""
    return {name: getattr(request, name) for name in ProgramsRequest.__slots__}


def decode_programs(content: Mapping[str, Any]) -> ProgramsRequest:
    """Return the request of a frame's content."""
    programs = [(key, form) for key, form in content["programs"]]
    return ProgramsRequest(**{**content, "programs": programs})


def hashes_of(forms: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the hashes of the sources that these canonical forms have."""
    return list(dict.fromkeys(sha256 for form in forms for _, sha256, _ in form["modules"]))


def encode_runs(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the runs as a frame's content; their logs are cut if they are long together."""
    left = MAX_LOG_CHARACTERS
    content: list[dict[str, Any]] = []
    for run in runs:
        match run:
            case Outcome():
                fields = encode_outcome(run, left_out=_LEFT_OUT)
                fields["cases"] = [asdict(case) for case in run.cases]
                fields["log"], is_cut = _cut(fields["log"], left)
                fields["truncated"] = run.truncated or is_cut
                left -= sum(map(_size, fields["log"]))
                content.append({"outcome": fields})
            case None:
                content.append({})
            case _:
                content.append({"broken": str(run)})
    return {"runs": content}


def _cut(log: list[dict[str, Any]], left: int) -> tuple[list[dict[str, Any]], bool]:
    for number, line in enumerate(log):
        left -= _size(line)
        if left < 0:
            return log[:number], True
    return log, False


def _size(line: Mapping[str, Any]) -> int:
    return len(json.dumps(line))


def decode_runs(content: Mapping[str, Any]) -> list[Run]:
    """Return the runs in a frame's content, or raise the error in it."""
    if "runs" not in content:
        raise_error(content)
    return [_decode_run(run) for run in content["runs"]]


def _decode_run(content: Mapping[str, Any]) -> Run:
    match content:
        case {"outcome": dict(fields)}:
            cases = [Case(**{**c, "verdict": Verdict(c["verdict"])}) for c in fields.pop("cases")]
            return decode_outcome({**fields, "cases": tuple(cases)})
        case {"broken": str(reason)}:
            return SandboxBroken(reason)
    return None
