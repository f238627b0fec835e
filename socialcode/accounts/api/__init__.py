"""Endpoints of tokens, and of suspensions by staff."""

from .suspensions import accounts
from .tokens import router as tokens

__all__ = ["accounts", "tokens"]
