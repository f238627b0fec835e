"""Use cases of authors: definitions, drafts, imports, publication and withdrawal."""

from functions.authoring.clone import clone_function
from functions.authoring.definitions import (
    define_function,
    delete_function,
    restore_revision,
    revise_function,
)
from functions.authoring.drafts import copy, discard_draft, run_draft, save_draft, start_draft
from functions.authoring.module_import import Imported, import_module, read_plan
from functions.authoring.publication import publish
from functions.authoring.withdrawal import withdraw

__all__ = [
    "Imported",
    "clone_function",
    "copy",
    "define_function",
    "delete_function",
    "discard_draft",
    "import_module",
    "publish",
    "read_plan",
    "restore_revision",
    "revise_function",
    "run_draft",
    "save_draft",
    "start_draft",
    "withdraw",
]
