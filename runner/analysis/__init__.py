"""Analyses of source text in confined processes, for web servers, which do none themselves."""

from runner.analysis.client import (
    AnalysesAway,
    AnalysesBusy,
    Unanswered,
    analyse,
    await_analyses,
    do_analyses_answer,
)

__all__ = [
    "AnalysesAway",
    "AnalysesBusy",
    "Unanswered",
    "analyse",
    "await_analyses",
    "do_analyses_answer",
]
