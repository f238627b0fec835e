"""What states are called and look like on pages, in one table for the server and the browser."""

from typing import NamedTuple


class Look(NamedTuple):
    """The style sheet's name for a state, and the word that people read."""

    state: str
    word: str


NOT_RUN = "not_run"  # nobody has asked for it yet

# Verdicts, then the ends of tasks that have none, then why a square has no verdict yet.
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
# In the order in which legends and bars have them; the last two come and go.
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
# What became of a task; it succeeds when it produced a verdict, whatever that says.
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
# The worst first: a bucket of several squares shows the worst of them.
SEVERITY = ("failed", "error", "timeout", "none", "broken", "running", "pending", "passed")
