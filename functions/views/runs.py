"""A run's page."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from functions.pages.batch import BatchPage, batch_page
from functions.views.words import LOOKS, TASK_LOOKS


@require_safe
def show_run(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how far a run is and what came of each of its programs."""
    page = batch_page(pk, request.user)
    if page is None:
        raise Http404
    progress = page.progress
    context = {
        "page": page,
        "progress": progress,
        "verdicts": _verdicts(page),
        "tasks_by_state": [
            (TASK_LOOKS[state], count) for state, count in progress.tasks.items() if count
        ],
        "hidden_tasks": progress.total - len(page.tasks),
        "words": LOOKS,
        "task_words": TASK_LOOKS,
    }
    return render(request, "functions/run.html", context)


def _verdicts(page: BatchPage) -> list[dict[str, object]]:
    return [
        {"look": LOOKS[verdict], "count": count}
        for verdict, count in page.progress.verdicts.items()
        if count
    ]
