"""Pages that compare two works or two run records."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext
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
from functions.views.markup import localised
from functions.views.responses import action, number_or_404, signed_in, work_or_404

FASTER_FROM = 1.2  # ratio; smaller differences are noise
# By whether results are the same: of equal, higher and lower speed.
HEADS = {
    True: (
        gettext_noop("Same results"),
        gettext_noop("Same results, %(ratio)s× faster"),
        gettext_noop("Same results, %(ratio)s× slower"),
    ),
    False: (
        gettext_noop("Different results"),
        gettext_noop("Different results, %(ratio)s× faster"),
        gettext_noop("Different results, %(ratio)s× slower"),
    ),
}
# The parts of a record, as the sentence on both names them.
PARTS = {
    "verdict": gettext_noop("verdict"),
    "message": gettext_noop("message"),
    "log": gettext_noop("log"),
    "modules": gettext_noop("modules"),
    "runtime": gettext_noop("runtime"),
}


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
        return {"tone": "info", "head": _("No test was run against both"), "text": ""}
    if not page.differing:
        count = len(page.matches)
        if page.noun == "implementation":
            text = ngettext(
                "They agree on %(count)s test.", "They agree on %(count)s tests.", count
            )
        else:
            text = ngettext(
                "They agree on %(count)s implementation.",
                "They agree on %(count)s implementations.",
                count,
            )
        return {"tone": "ok", "head": _head(page, is_same=True), "text": text % {"count": count}}
    sentences = [
        _("Passed only with %(work)s: %(labels)s.") % {"work": card.label, "labels": _list(labels)}
        for card, labels in ((page.right, page.gained), (page.left, page.lost))
        if labels
    ]
    tone = "warn" if page.lost else "ok"
    return {"tone": tone, "head": _head(page, is_same=False), "text": " ".join(sentences)}


def _head(page: WorkComparison, *, is_same: bool) -> str:
    faster, slower = _ratios(page)
    equal, quicker, later = HEADS[is_same]
    if faster >= FASTER_FROM:
        return _(quicker) % {"ratio": localised(f"{faster:.1f}")}
    if slower >= FASTER_FROM:
        return _(later) % {"ratio": localised(f"{slower:.1f}")}
    return _(equal)


def _ratios(page: WorkComparison) -> tuple[float, float]:
    """Return how many times as fast, and as slow, the right one is; zeros if that isn't known."""
    before, after = getattr(page.left, "cpu_us", None), getattr(page.right, "cpu_us", None)
    return (before / after, after / before) if before and after else (0.0, 0.0)


def _list(labels: tuple[str, ...]) -> str:
    if len(labels) < 2:
        return "".join(labels)
    return _("%(some)s and %(last)s") % {"some": ", ".join(labels[:-1]), "last": labels[-1]}


@require_safe
def choose(request: HttpRequest, name: str, noun: str) -> HttpResponse:
    """Redirect from the form to the comparison of the two chosen works; without any, to all."""
    left, right = (number_or_404(request.GET.get(side, "")) for side in ("left", "right"))
    function = function_or_404(name)
    if left is None and right is None:
        return redirect(f"{function.get_absolute_url()}#{noun}s")
    if left is None or right is None:
        raise Http404(_("Choose two to compare."))
    return redirect(f"{reverse('difference', args=[noun, right])}?against={left}")


@require_safe
def show_records(request: HttpRequest, key: str, other: str) -> HttpResponse:
    """Show two run records side by side."""
    page = or_404(compare_results(key, other, request.user))
    names = {module.name.lower() for one in (page.left, page.right) for module in one.modules}
    context = {
        "page": page,
        "sides": [
            {
                "page": one,
                "look": LOOKS[one.verdict],
                "mebibytes": localised(f"{one.peak_bytes / 2**20:.1f}"),
            }
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
    same = _list(tuple(_(PARTS[what]) for what, is_same in page.same.items() if is_same))
    other = _list(tuple(_(PARTS[what]) for what, is_same in page.same.items() if not is_same))
    if same and other:
        return _("Different %(different)s; same %(same)s.") % {"different": other, "same": same}
    return (
        _("Different %(parts)s.") % {"parts": other}
        if other
        else _("Same %(parts)s.") % {"parts": same}
    )


@action
def run_record_again(request: HttpRequest, key: str) -> HttpResponse:
    """Repeat the program of this record, and redirect to the new run."""
    batch = repeat_result(actor=signed_in(request), key=bytes.fromhex(key))
    messages.success(request, _("The record is replaced when this run ends."))
    return redirect("run", batch.pk)
