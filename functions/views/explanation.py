"""Explanations of results: the expected value, the one it got, and the lines of both sides."""

from dataclasses import dataclass

from functions.read_models.result import ResultPage
from functions.source.comparison import Comparison, comparison_of
from functions.views.labels import LOOKS, Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A result, and the lines of the test and of its subject in the trace, from 1."""

    result: ResultPage
    look: Look
    comparison: Comparison | None
    assertion: str  # the failing line of the test, if known
    test_line: int | None
    subject_line: int | None


def explain(result: ResultPage) -> Explanation:
    """Return the explanation of a program's result."""
    lines = {module: (line, source) for module, line, _, source in result.trace}
    if result.line:
        lines.setdefault(result.module, (result.line, ""))
    test_line, assertion = lines.get(result.test_module, (None, ""))
    subject_line, _ = lines.get(result.subject, (None, ""))
    return Explanation(
        result=result,
        look=LOOKS[result.verdict],
        comparison=comparison_of(
            result.verdict,
            result.message,
            result.cases,
            assertion=assertion,
            subject=result.subject,
        ),
        assertion=assertion.strip().removeprefix("assert "),
        test_line=test_line,
        subject_line=subject_line,
    )
