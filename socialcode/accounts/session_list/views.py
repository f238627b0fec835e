"""The page of one's sessions, and their end."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from functions.views.responses import signed_in
from socialcode.accounts.security.log import Event, log_event
from socialcode.accounts.session_list.user_agents import browser_of
from socialcode.accounts.sessions import end_some, sessions_of


@login_required
@never_cache
@require_safe
def show_sessions(request: HttpRequest) -> HttpResponse:
    """List where the user is signed in."""
    rows = [(one, browser_of(one.browser)) for one in sessions_of(signed_in(request))]
    context = {"rows": rows, "own": request.session.session_key}
    return render(request, "account/sessions.html", context)


@login_required
@require_POST
def end(request: HttpRequest) -> HttpResponse:
    """End the session that was chosen, or all but this one."""
    user = signed_in(request)
    name, own = request.POST.get("session", ""), request.session.session_key
    ended = [one for one in sessions_of(user) if one.session_key != own and name in ("", one.name)]
    end_some(ended)
    for _session in ended:
        log_event(Event.SESSION_ENDED, user=user)
    message = ngettext("%(count)s session was ended.", "%(count)s sessions were ended.", len(ended))
    messages.success(request, message % {"count": len(ended)} if ended else _("No session to end."))
    return redirect("sessions")
