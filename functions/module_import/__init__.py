"""Bringing a Python module along, with its tests, as drafts of functions.

What plans it reads people's source, so it runs in confined processes alone: see
`functions.confined`.
"""

from functions.module_import.plan_types import Plan, PlannedFunction, PlannedTest

__all__ = ["Plan", "PlannedFunction", "PlannedTest"]
