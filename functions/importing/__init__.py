"""Bringing a Python module along, with its tests, as drafts of functions."""

from functions.importing.planned import Plan, PlannedFunction, PlannedTest
from functions.importing.plans import names_asked_for, plan_import

__all__ = ["Plan", "PlannedFunction", "PlannedTest", "names_asked_for", "plan_import"]
