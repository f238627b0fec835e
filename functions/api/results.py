"""Endpoint of results."""

from django.http import Http404, HttpRequest
from ninja import Router

from functions.api.problems import refusals
from functions.api.schemas import ResultShown
from functions.api.serializers import result_shown
from functions.read_models import result_page

router = Router(tags=["results"])


@router.get("/{key}/", response={200: ResultShown, **refusals(404)}, summary="Look at a result")
def read_result(request: HttpRequest, key: str) -> ResultShown:
    """Return the record of the program with this key, 64 hexadecimal digits."""
    page = result_page(key, request.user)
    if page is None:
        raise Http404
    return result_shown(page)
