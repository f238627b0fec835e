"""The list of runs, a run's page, and actions on runs."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.http import require_safe

from functions.read_models.batch import BatchPage, batch_page
from functions.read_models.function import function_or_404
from functions.read_models.not_found import or_404
from functions.read_models.run_list import ATTENTION, RunFilter, RunRow, batch_for, run_list
from functions.runs import cancel_run, repeat_run, retry_run, run_function_again
from functions.views.labels import BATCH_LOOKS, LOOKS, TASK_LOOKS, shown
from functions.views.responses import action, signed_in
from functions.views.results_panel import LogEntry, entries_of_line, run_bar, run_counts
from runner.models import Batch

# Fewer than the topics that one socket may follow.
RUNS_SHOWN = 40
STATES = (
    ("", gettext_lazy("All runs")),
    ("open", pgettext_lazy("state of a run", "Open")),
    ("complete", gettext_lazy("Complete")),
    ("cancelled", gettext_lazy("Cancelled")),
    (ATTENTION, gettext_lazy("Needs attention")),
)
AGES = {
    "": (gettext_lazy("Any time"), None),
    "hour": (gettext_lazy("Last hour"), timedelta(hours=1)),
    "day": (gettext_lazy("Last day"), timedelta(days=1)),
    "week": (gettext_lazy("Last week"), timedelta(days=7)),
    "month": (gettext_lazy("Last 30 days"), timedelta(days=30)),
}
MAX_NAME_LENGTH = 200


@require_safe
def list_runs(request: HttpRequest) -> HttpResponse:
    """Show the list of runs."""
    filters = {name: _clean(request.GET.get(name, "")) for name in ("state", "owner", "function")}
    filters["age"], parent = request.GET.get("age", ""), request.GET.get("parent", "")
    if filters["state"] not in dict(STATES) or filters["age"] not in AGES:
        raise Http404("no such filter")
    age = AGES[filters["age"]][1]
    run_filter = RunFilter(
        state=filters["state"],
        owner=filters["owner"],
        function=filters["function"],
        since=timezone.now() - age if age else None,
        parent=_number(parent),
        folded=True,
    )
    filters["parent"] = str(run_filter.parent or "")
    cursor = request.GET.get("cursor", "")
    page = run_list(request.user, run_filter, cursor=cursor, limit=RUNS_SHOWN)
    context = {
        "here": "runs",
        "asked": filters,
        "parent": run_filter.parent,
        "rows": [_row(row) for row in page.rows],
        "states": [_choice(filters, "state", *choice) for choice in STATES],
        "ages": [_choice(filters, "age", value, title) for value, (title, _) in AGES.items()],
        "is_filtered": any(filters.values()),
        "kept": [(name, filters[name]) for name in ("state", "age", "parent") if filters[name]],
        "cursor": cursor,
        "next_url": _url(filters, cursor=page.next) if page.next else "",
        "first_url": _url(filters),
        "newest_url": _newest_url(filters) if not cursor else "",
        "words": shown(LOOKS),
        "batch_words": shown(BATCH_LOOKS),
    }
    return render(request, "functions/runs.html", context)


def _clean(text: str) -> str:
    # PostgreSQL rejects NUL and lone surrogates.
    return text.replace("\0", "").encode("utf-8", "ignore").decode()[:MAX_NAME_LENGTH].strip()


def _number(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < len(str(2**63))):
        raise Http404("no such run")
    return int(text)


def _url(filters: dict[str, str], **changes: str) -> str:
    query = {name: value for name, value in {**filters, **changes}.items() if value}
    return f"{reverse('runs')}?{urlencode(query)}" if query else reverse("runs")


def _newest_url(filters: dict[str, str]) -> str:
    """Return the URL of the newest runs with the same filters."""
    query = {name: value for name, value in filters.items() if value and name != "age"}
    return f"{reverse('api-1:list_batches')}?{urlencode({**query, 'limit': '1'})}"


def _choice(filters: dict[str, str], name: str, value: str, title: Promise) -> dict[str, Any]:
    return {"url": _url(filters, **{name: value}), "title": title, "chosen": filters[name] == value}


def _row(row: RunRow) -> dict[str, Any]:
    return {
        "run": row,
        "progress": row.progress,
        "bar": run_bar(row.progress),
        "counts": json.dumps(run_counts(row.progress)),
        "reached": row.progress.total - row.progress.tasks["cancelled"],
    }


@require_safe
def show_run(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a run's progress, tasks and attempts."""
    state, verdict = request.GET.get("state", ""), request.GET.get("verdict", "")
    if (state and state not in TASK_LOOKS) or (verdict and verdict not in LOOKS):
        raise Http404("no such filter")
    cursor = request.GET.get("cursor", "")
    page = or_404(batch_page(pk, request.user, state=state, verdict=verdict, cursor=cursor))
    progress = page.progress
    context = {
        "here": "runs",
        "page": page,
        "run": page.run,
        "progress": progress,
        "subject": page.run.subject,
        "bar": run_bar(progress),
        "counts": json.dumps(run_counts(progress)),
        "states": _states(page, None if verdict else state),
        "verdicts": _verdicts(page, verdict),
        "is_filtered": bool(state or verdict),
        "cursor": cursor,
        "next_url": _tasks_url(state=state, verdict=verdict, cursor=page.tasks.next),
        "open_children": sum(child.progress.is_open for child in page.children),
        "children": [_row(child) for child in page.children],
        "earlier": [_row(past) for past in page.earlier],
        "log": _log(page),
        "words": shown(LOOKS),
        "task_words": shown(TASK_LOOKS),
    }
    return render(request, "functions/run.html", context)


def _tasks_url(**query: str) -> str:
    return f"?{urlencode({name: value for name, value in query.items() if value})}"


def _states(page: BatchPage, chosen: str | None) -> list[dict[str, Any]]:
    choices = [("", _("All"), page.progress.total)] + [
        (state, TASK_LOOKS[state].word, count)
        for state, count in page.progress.tasks.items()
        if count or state == chosen
    ]
    return [
        {"url": _tasks_url(state=state), "word": word, "count": count, "chosen": state == chosen}
        for state, word, count in choices
    ]


def _verdicts(page: BatchPage, chosen: str) -> list[dict[str, Any]]:
    return [
        {
            "look": LOOKS[verdict],
            "count": count,
            "url": _tasks_url(verdict="" if verdict == chosen else verdict),
            "chosen": verdict == chosen,
        }
        for verdict, count in page.progress.verdicts.items()
        if count or verdict == chosen
    ]


def _log(page: BatchPage) -> list[LogEntry]:
    where = {task.key: task.where for task in page.tasks.rows}
    return [
        entry
        for line in page.log
        for entry in entries_of_line(line, where.get(line.key) or line.key[:8])
    ]


@action
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel the open tasks of a run."""
    batch = _batch_or_404(request, pk)
    cancel_run(actor=signed_in(request), batch=batch)
    messages.success(request, _("Run %(run)s was cancelled.") % {"run": pk})
    return redirect("run", pk)


@action
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Retry given up and cancelled tasks, and redirect to the new run."""
    return _rerun(request, pk, retry_run)


@action
def run_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Repeat a run, and redirect to the new run."""
    return _rerun(request, pk, repeat_run)


@action
def run_function(request: HttpRequest, name: str) -> HttpResponse:
    """Repeat the programs of a function's cells, and redirect to its page."""
    function = function_or_404(name)
    batch = run_function_again(actor=signed_in(request), function=function)
    message = _("Run %(run)s has started. Results stay until new ones are in.")
    messages.success(request, message % {"run": batch.pk})
    return redirect(function)


def _rerun(request: HttpRequest, pk: int, rerun: Callable[..., Batch]) -> HttpResponse:
    batch = rerun(actor=signed_in(request), batch=_batch_or_404(request, pk))
    message = _("This is run %(new)s; run %(old)s is unchanged.")
    messages.success(request, message % {"new": batch.pk, "old": pk})
    return redirect("run", batch.pk)


def _batch_or_404(request: HttpRequest, pk: int) -> Batch:
    return or_404(batch_for(pk, request.user))
