"""Pages to flag an item, and to list the user's flags and offers."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from functions.errors import Refusal
from functions.forms import FlagForm
from functions.models import Function
from functions.moderation.flags import find_item, flag_item
from functions.read_models.flags import own_flags
from functions.read_models.not_found import or_404
from functions.views.responses import signed_in

FLAGS_SHOWN = 50
OFFERS_SHOWN = 100


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def flag(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """Flag an item for staff; a GET shows the form."""
    item = or_404(find_item(kind, pk))
    form = FlagForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            flag_item(actor=signed_in(request), kind=kind, item_id=pk, **form.cleaned_data)
            messages.success(request, _("Staff will look at it."))
            return redirect("flags")
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {
        "form": form,
        "title": _("Flag %(item)s") % {"item": item},
        "lead": _("Staff will read and answer this. Nobody else sees who flagged it."),
        "failed": _("It was not flagged."),
        "foot": "",
        "button": _("Flag it"),
        "back": item.url,
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "functions/function_form.html", context, status=status)


@login_required
@require_safe
def list_flags(request: HttpRequest) -> HttpResponse:
    """Show the user's flags with their resolution, and functions offered to them."""
    cursor = request.GET.get("cursor", "")
    page = own_flags(request.user, cursor=cursor, limit=FLAGS_SHOWN)
    offered = Function.objects.filter(offered_to=signed_in(request), deleted_at=None)
    context = {
        "rows": page.rows,
        "next": page.next,
        "cursor": cursor,
        "offers": offered.select_related("owner").order_by("name_key")[:OFFERS_SHOWN],
    }
    return render(request, "functions/flags.html", context)
