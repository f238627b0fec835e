"""Read models: the data of pages and the API, each read in one snapshot."""

from .batch import BatchPage, batch_page, batch_progress
from .browse import BrowsePage, FunctionRow, browse
from .cells import Matrix, MatrixCell
from .cursors import BadCursor
from .draft import DraftPage, draft_page, work_card
from .function import (
    FunctionPage,
    MissingPage,
    function_named,
    function_or_404,
    function_page,
    missing_page,
    page_of_name,
)
from .links import FunctionLink
from .result import ModuleShown, ResultPage, result_page
from .run_list import RunFilter, RunList, RunRow, batch_for, run_list, run_row
from .runs import LogLine, Progress
from .tasks import TaskPage, TaskRow, task_list, task_row
from .unsettled import Unsettled
from .work_lists import WorkPage, drafts_of, work_of_id, works_of_function
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
    "Matrix",
    "MatrixCell",
    "MissingPage",
    "ModuleShown",
    "Origin",
    "Progress",
    "ResultPage",
    "RunFilter",
    "RunList",
    "RunRow",
    "TaskPage",
    "TaskRow",
    "TestCard",
    "Unsettled",
    "WorkCard",
    "WorkPage",
    "batch_for",
    "batch_page",
    "batch_progress",
    "browse",
    "draft_page",
    "drafts_of",
    "function_named",
    "function_or_404",
    "function_page",
    "implementation_card",
    "missing_page",
    "page_of_name",
    "result_page",
    "run_list",
    "run_row",
    "task_list",
    "task_row",
    "test_card",
    "work_card",
    "work_of_id",
    "works_of_function",
]
