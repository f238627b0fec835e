"""Pages that compare two works or two run records."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from functions.errors import NotFound
from functions.graph.queries import living_functions
from functions.read_models.comparison import WorkComparison, compare_works
from functions.read_models.function import function_or_404
from functions.read_models.links import FunctionLink
from functions.read_models.not_found import or_404
from functions.read_models.result_comparison import ResultComparison, compare_results
from functions.runs import repeat_result
from functions.views.labels import LOOKS
from functions.views.responses import action, number_or_404, signed_in, work_or_404

FASTER_FROM = 1.2  # ratio; smaller differences are noise


@require_safe
def show_difference(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Show the difference of a work from its origin, the current one, or another work."""
    work = work_or_404(noun, pk)
    against = number_or_404(request.GET.get("against", ""))
    try:
        page = compare_works(work, request.user, against=against)
    except NotFound as error:
        raise Http404(error.message) from error
    context = {
        "page": page,
        "function": page.function,
        "said": verdict_of(page),
        "sides": [_side(page, card) for card in (page.left, page.right)],
        "is_whole": "whole" in request.GET,
    }
    return render(request, "functions/compare.html", context)


def _side(page: WorkComparison, card: Any) -> dict[str, Any]:
    own = FunctionLink(name=page.function.name, status=page.function.status)
    return {"card": card, "links": [own, *card.depends_on], "lines": len(card.code.splitlines())}


def verdict_of(page: WorkComparison) -> dict[str, str]:
    """Return a sentence on whether the verdicts of both works agree, and its tone."""
    if not page.matches:
        return {"tone": "info", "head": "No test was run against both", "text": ""}
    if not page.differing:
        count = len(page.matches)
        noun = "test" if page.noun == "implementation" else "implementation"
        text = f"They agree on {count} {noun}{'' if count == 1 else 's'}."
        return {"tone": "ok", "head": f"Same results{_faster(page)}", "text": text}
    sentences = [
        f"Passed only with {card.label}: {_list(labels)}."
        for card, labels in ((page.right, page.gained), (page.left, page.lost))
        if labels
    ]
    tone = "warn" if page.lost else "ok"
    return {"tone": tone, "head": f"Different results{_faster(page)}", "text": " ".join(sentences)}


def _faster(page: WorkComparison) -> str:
    before, after = getattr(page.left, "cpu_us", None), getattr(page.right, "cpu_us", None)
    if not before or not after:
        return ""
    if before / after >= FASTER_FROM:
        return f", {before / after:.1f}× faster"
    return f", {after / before:.1f}× slower" if after / before >= FASTER_FROM else ""


def _list(labels: tuple[str, ...]) -> str:
    return ", ".join(labels[:-1]) + " and " + labels[-1] if len(labels) > 1 else "".join(labels)


@require_safe
def choose(request: HttpRequest, name: str, noun: str) -> HttpResponse:
    """Redirect from the form to the comparison of the two chosen works."""
    left, right = (number_or_404(request.GET.get(side, "")) for side in ("left", "right"))
    function_or_404(name)
    if left is None or right is None:
        raise Http404("Choose two to compare.")
    return redirect(f"{reverse('difference', args=[noun, right])}?against={left}")


@require_safe
def show_records(request: HttpRequest, key: str, other: str) -> HttpResponse:
    """Show two run records side by side."""
    page = or_404(compare_results(key, other, request.user))
    names = {module.name.lower() for one in (page.left, page.right) for module in one.modules}
    context = {
        "page": page,
        "sides": [
            {"page": one, "look": LOOKS[one.verdict], "mebibytes": f"{one.peak_bytes / 2**20:.1f}"}
            for one in (page.left, page.right)
        ],
        "same": summary_of(page),
        "links": [
            FunctionLink(name=one.name, status=one.status)
            for one in living_functions(names).values()
        ],
        "is_whole": "whole" in request.GET,
    }
    return render(request, "functions/compare_results.html", context)


def summary_of(page: ResultComparison) -> str:
    """Return a sentence on the parts that are equal in both records and those that differ."""
    same = [what for what, is_same in page.same.items() if is_same]
    other = [what for what, is_same in page.same.items() if not is_same]
    parts = [f"different {_list(tuple(other))}"] * bool(other)
    parts += [f"same {_list(tuple(same))}"] * bool(same)
    return f"{'; '.join(parts).capitalize()}."


@action
def run_record_again(request: HttpRequest, key: str) -> HttpResponse:
    """Repeat the program of this record, and redirect to the new run."""
    batch = repeat_result(actor=signed_in(request), key=bytes.fromhex(key))
    messages.success(request, "The record is replaced when this run ends.")
    return redirect("run", batch.pk)
