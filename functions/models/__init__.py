"""The product's tables, one noun a file."""

from .cascade import Level, Supersession
from .cell import Cell
from .comment import Comment
from .dependency import Dependency
from .election import Election
from .function import Function, FunctionRevision
from .preview import Effect, Preview
from .vote import Vote
from .work import Implementation, Test, Work

__all__ = [
    "Cell",
    "Comment",
    "Dependency",
    "Effect",
    "Election",
    "Function",
    "FunctionRevision",
    "Implementation",
    "Level",
    "Preview",
    "Supersession",
    "Test",
    "Vote",
    "Work",
]
