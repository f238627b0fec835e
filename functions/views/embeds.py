"""A function's badge and card, for other sites."""

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from functions.kinds import kind_of
from functions.models import Cell, Function, Implementation, Test, Work
from functions.read_models.function import function_or_404

FRESH_SECONDS = 60
LANGUAGE = "en"  # whoever reads the other site
CHARACTER_PX = 6.6  # of the badge's text, 11 px wide letters on average
PADDING_PX = 12
COLOURS = {"implemented": "#1a7f37", "blocked": "#9a6700", "not_implemented": "#57606a"}
WORDS = {"implemented": "passing", "blocked": "broken dependency", "not_implemented": "wanted"}


@require_safe
@cache_control(public=True, max_age=FRESH_SECONDS)
def show_badge(_request: HttpRequest, name: str) -> HttpResponse:
    """Return a picture of the function's name, status and tests passed, for README files."""
    function = function_or_404(name)
    words = WORDS[function.status]
    if function.status == Function.Status.IMPLEMENTED:
        words = "{} of {} passed".format(*_passed(function))
    left, right = (PADDING_PX + CHARACTER_PX * len(text) for text in (function.name, words))
    context = {
        "name": function.name,
        "words": words,
        "colour": COLOURS[function.status],
        "left": round(left),
        "right": round(right),
        "width": round(left) + round(right),
        "middles": (round(left / 2), round(left + right / 2)),
    }
    with translation.override(LANGUAGE):
        badge = render(_request, "functions/badge.svg", context, content_type="image/svg+xml")
    badge["Content-Language"] = LANGUAGE
    badge["Access-Control-Allow-Origin"] = "*"
    badge["Cross-Origin-Resource-Policy"] = "cross-origin"
    return badge


@require_safe
@cache_control(public=True, max_age=FRESH_SECONDS)
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # typed for views without arguments
def show_embed(request: HttpRequest, name: str) -> HttpResponse:
    """Show a card of the function, for frames on other sites."""
    function = function_or_404(name)
    published = {"function": function, "state": Work.State.PUBLISHED}
    context = {
        "function": function,
        "kind": kind_of(function),
        "passed": _passed(function) if function.elected_id else None,
        "tests": Test.objects.filter(**published).count(),
        "implementations": Implementation.objects.filter(**published).count(),
    }
    with translation.override(LANGUAGE):
        card = render(request, "functions/embed.html", context)
    card["Content-Language"] = LANGUAGE
    return card


def _passed(function: Function) -> tuple[int, int]:
    """Return how many counting tests the current implementation passes, and how many there are."""
    cells = Cell.objects.filter(implementation=function.elected_id, test__counts=True)
    verdicts = list(cells.values_list("verdict", flat=True))
    return verdicts.count("passed"), len(verdicts)
