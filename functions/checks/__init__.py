"""Checks: code that isn't stored, run at once against all that its function has."""

from functions.checks.cells import CheckedCell
from functions.checks.check import Check, check_work

__all__ = ["Check", "CheckedCell", "check_work"]
