"""The private page of one's own votes and their history."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from functions.read_models.votes import VoteRow, own_vote_changes, own_votes
from functions.views.responses import signed_in

LISTS = {
    "": (gettext_noop("Present votes"), own_votes),
    "history": (gettext_noop("History"), own_vote_changes),
}
# Names of changes, by the former and the new value.
CHANGES = {
    (0, 1): gettext_noop("voted up"),
    (0, -1): gettext_noop("voted down"),
    (-1, 1): gettext_noop("changed from down to up"),
    (1, -1): gettext_noop("changed from up to down"),
    (1, 0): gettext_noop("took back the vote up"),
    (-1, 0): gettext_noop("took back the vote down"),
}


@login_required
@never_cache
@require_safe
def list_votes(request: HttpRequest) -> HttpResponse:
    """List the user's present votes, or each change of them."""
    show, cursor = request.GET.get("show", ""), request.GET.get("cursor", "")
    if show not in LISTS:
        raise Http404("no such list")
    page = LISTS[show][1](signed_in(request), cursor=cursor)
    context = {
        "show": show,
        "tabs": [
            {"url": _url(show=name), "title": _(title), "chosen": name == show}
            for name, (title, _read) in LISTS.items()
        ],
        "rows": [{"vote": row, "what": _what(row)} for row in page.rows],
        "cursor": cursor,
        "first_url": _url(show=show),
        "next_url": _url(show=show, cursor=page.next) if page.next else "",
    }
    return render(request, "functions/votes.html", context)


def _what(row: VoteRow) -> str:
    return _(CHANGES[row.former, row.value])


def _url(**query: str) -> str:
    return f"?{urlencode({name: value for name, value in query.items() if value})}"
