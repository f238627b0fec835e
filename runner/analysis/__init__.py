"""Analyses of source text in confined processes; web servers run none themselves."""

from runner.analysis.client import (
    AnalysisBusy,
    AnalysisFailed,
    AnalysisUnavailable,
    analyse,
    is_analysis_available,
    wait_for_analysis_server,
)

__all__ = [
    "AnalysisBusy",
    "AnalysisFailed",
    "AnalysisUnavailable",
    "analyse",
    "is_analysis_available",
    "wait_for_analysis_server",
]
