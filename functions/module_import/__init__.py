"""Imports of a Python module with its tests, as drafts of functions.

Planning parses source, so it runs in confined processes only: see `functions.analysis.confined`.
"""

from functions.module_import.plan_types import Plan, PlannedFunction, PlannedTest

__all__ = ["Plan", "PlannedFunction", "PlannedTest"]
