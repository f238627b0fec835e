"""Read models: what pages and the API show, each read in one consistent look."""

from .batch import BatchPage, TaskRow, WorkLabel, batch_page, batch_progress
from .browse import BrowsePage, FunctionRow, browse
from .cursors import BadCursor
from .draft import DraftPage, draft_page, work_card
from .function import FunctionPage, MissingPage, function_named, function_page, missing_page
from .links import FunctionLink
from .result import ModuleShown, ResultPage, result_page
from .runs import LogLine, Progress
from .squares import Square
from .works import (
    ImplementationCard,
    Origin,
    TestCard,
    WorkCard,
    implementation_card,
    test_card,
)

__all__ = [
    "BadCursor",
    "BatchPage",
    "BrowsePage",
    "DraftPage",
    "FunctionLink",
    "FunctionPage",
    "FunctionRow",
    "ImplementationCard",
    "LogLine",
    "MissingPage",
    "ModuleShown",
    "Origin",
    "Progress",
    "ResultPage",
    "Square",
    "TaskRow",
    "TestCard",
    "WorkCard",
    "WorkLabel",
    "batch_page",
    "batch_progress",
    "browse",
    "draft_page",
    "function_named",
    "function_page",
    "implementation_card",
    "missing_page",
    "result_page",
    "test_card",
    "work_card",
]
