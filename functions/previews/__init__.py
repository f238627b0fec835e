"""Previews: the impact of a change on dependents, before it is made."""

from functions.previews.request import (
    preview_deletion,
    preview_judgement,
    preview_publishing,
    preview_withdrawal,
)

__all__ = ["preview_deletion", "preview_judgement", "preview_publishing", "preview_withdrawal"]
