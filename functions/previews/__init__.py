"""Previews: a change is tried on those who depend on it before anybody makes it."""

from functions.previews.request import (
    preview_deletion,
    preview_judgement,
    preview_publishing,
    preview_withdrawal,
)

__all__ = ["preview_deletion", "preview_judgement", "preview_publishing", "preview_withdrawal"]
