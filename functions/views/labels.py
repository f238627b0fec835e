"""Labels and styles of states, shared by the server and the browser."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, pgettext_lazy


class Look(NamedTuple):
    """The style sheet's name of a state, and its label."""

    state: str
    label: Promise

    @property
    def word(self) -> str:
        """The label, in the page's language."""
        return str(self.label)


def shown(looks: Mapping[str, Look]) -> dict[str, tuple[str, str]]:
    """Return looks as scripts read them: style and label."""
    return {name: (look.state, look.word) for name, look in looks.items()}


NOT_RUN = "not_run"  # not requested yet

# Verdicts, then final task states without a verdict, then states of cells without a verdict yet.
LOOKS = {
    "passed": Look("passed", _("passed")),
    "failed": Look("failed", _("failed")),
    "error": Look("error", _("error")),
    "time_limit": Look("timeout", _("timed out")),
    "memory_limit": Look("error", _("used too much memory")),
    "output_limit": Look("error", _("wrote too much")),
    "policy": Look("error", _("not allowed")),
    "crashed": Look("error", _("crashed")),
    "flaky": Look("error", _("flaky: its runs disagree")),
    "ignored": Look("none", _("given up by our machinery")),
    "cancelled": Look("none", _("cancelled")),
    "given_up": Look("none", _("given up by our machinery")),
    "unbuildable": Look("broken", _("broken")),
    "running": Look("running", _("running")),
    "pending": Look("pending", _("pending")),
    NOT_RUN: Look("none", _("not run yet")),
}
# In the order of legends and bars; the last two are hidden while their counts are zero.
LEGEND = {
    "passed": gettext_noop("passed"),
    "failed": gettext_noop("failed"),
    "error": gettext_noop("error"),
    "timeout": gettext_noop("timed out"),
    "broken": gettext_noop("broken"),
    "running": gettext_noop("running"),
    "pending": gettext_noop("pending"),
}
RARE = ("running", "pending")
# States of a task; with any verdict it has succeeded.
TASK_LOOKS = {
    "waiting": Look("pending", _("Waiting")),
    "pending": Look("pending", _("Pending")),
    "in_progress": Look("progress", _("In progress")),
    "succeeded": Look("succeeded", _("Succeeded")),
    "failed": Look("failed", _("Failed")),
    "ignored": Look("ignored", _("Ignored")),
    "cancelled": Look("ignored", _("Cancelled")),
}
BATCH_LOOKS = {
    "open": Look("progress", pgettext_lazy("state of a run", "Open")),
    "complete": Look("succeeded", _("Complete")),
    "cancelled": Look("ignored", _("Cancelled")),
}
# Worst first: a bucket of several cells shows the worst of them.
SEVERITY = ("failed", "error", "timeout", "none", "broken", "running", "pending", "passed")
