"""Batches: how far a run is."""

from django.http import Http404, HttpRequest
from ninja import Router

from functions.api.answers import batch_shown
from functions.api.problems import refusals
from functions.api.schemas import BatchShown
from functions.pages import batch_progress

router = Router(tags=["batches"])


@router.get("/{int:id}/", response={200: BatchShown, **refusals(404)}, summary="Look at a batch")
def read_batch(request: HttpRequest, id: int) -> BatchShown:
    """Return how far a batch is; a draft's run is there for its author alone."""
    progress = batch_progress(id, request.user)
    if progress is None:
        raise Http404
    return batch_shown(progress)
