"""The page to try a function with arguments."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from functions.calls.call import Call, try_function
from functions.errors import Refusal
from functions.kinds import kind_of
from functions.read_models.function import function_or_404
from functions.views.labels import LOOKS
from functions.views.responses import with_retry_after
from runner.sandbox import Verdict

MOST_LINES = 200


@require_http_methods(["GET", "HEAD", "POST"])
def try_it(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form and, after a POST, the outcome of the call."""
    function = function_or_404(name)
    tried: dict[str, Any] = {}
    args = request.GET.get("args", "")
    if request.method == "POST":
        args = request.POST.get("args", "").replace("\r\n", "\n").strip()
        try:
            tried = _shown(try_function(actor=request.user, name=function.name, text=args))
        except Refusal as refusal:
            tried = {"refusal": refusal}
    context = {"function": function, "kind": kind_of(function), "args": args, **tried}
    page = render(request, "functions/try.html", context, status=_status(tried))
    return with_retry_after(page, tried.get("refusal"))


def _status(tried: dict[str, Any]) -> int:
    return tried["refusal"].status if "refusal" in tried else 200


def _shown(made: Call) -> dict[str, Any]:
    outcome = made.outcome
    names = {version.name for version in made.versions.closure}
    has_value = outcome.verdict is Verdict.PASSED
    text, length = outcome.value if has_value else ("", 0)
    look = LOOKS[outcome.verdict]
    return {
        "outcome": outcome,
        "look": look,
        "text": text,
        "left_out": length - len(text),
        # Frames of the wrapper are ours, not the user's.
        "module": outcome.module if outcome.module in names else None,
        "lines": outcome.log[:MOST_LINES],
        "more_lines": max(0, len(outcome.log) - MOST_LINES),
        "others": len(made.versions.closure) - 1,
    }
