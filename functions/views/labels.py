"""Labels and styles of states, shared by the server and the browser."""

from typing import NamedTuple


class Look(NamedTuple):
    """The style sheet's name of a state, and its label."""

    state: str
    word: str


NOT_RUN = "not_run"  # not requested yet

# Verdicts, then final task states without a verdict, then states of cells without a verdict yet.
LOOKS = {
    "passed": Look("passed", "passed"),
    "failed": Look("failed", "failed"),
    "error": Look("error", "error"),
    "time_limit": Look("timeout", "timed out"),
    "memory_limit": Look("error", "used too much memory"),
    "output_limit": Look("error", "wrote too much"),
    "policy": Look("error", "not allowed"),
    "crashed": Look("error", "crashed"),
    "flaky": Look("error", "flaky: its runs disagree"),
    "ignored": Look("none", "given up by our machinery"),
    "cancelled": Look("none", "cancelled"),
    "given_up": Look("none", "given up by our machinery"),
    "unbuildable": Look("broken", "broken"),
    "running": Look("running", "running"),
    "pending": Look("pending", "pending"),
    NOT_RUN: Look("none", "not run yet"),
}
# In the order of legends and bars; the last two are hidden while their counts are zero.
LEGEND = {
    "passed": "passed",
    "failed": "failed",
    "error": "error",
    "timeout": "timed out",
    "broken": "broken",
    "running": "running",
    "pending": "pending",
}
RARE = ("running", "pending")
# States of a task; with any verdict it has succeeded.
TASK_LOOKS = {
    "waiting": Look("pending", "Waiting"),
    "pending": Look("pending", "Pending"),
    "in_progress": Look("progress", "In progress"),
    "succeeded": Look("succeeded", "Succeeded"),
    "failed": Look("failed", "Failed"),
    "ignored": Look("ignored", "Ignored"),
    "cancelled": Look("ignored", "Cancelled"),
}
BATCH_LOOKS = {
    "open": Look("progress", "Open"),
    "complete": Look("succeeded", "Complete"),
    "cancelled": Look("ignored", "Cancelled"),
}
# Worst first: a bucket of several cells shows the worst of them.
SEVERITY = ("failed", "error", "timeout", "none", "broken", "running", "pending", "passed")
