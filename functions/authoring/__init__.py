"""Writing: functions are defined, drafts are kept, run and published."""

from functions.authoring.definitions import define_function, delete_function, revise_function
from functions.authoring.drafts import copy, discard_draft, run_draft, save_draft, start_draft
from functions.authoring.publishing import publish
from functions.moderation import judge_work, withdraw

__all__ = [
    "copy",
    "define_function",
    "delete_function",
    "discard_draft",
    "judge_work",
    "publish",
    "revise_function",
    "run_draft",
    "save_draft",
    "start_draft",
    "withdraw",
]
