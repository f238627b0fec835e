"""The page of a person's agents."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from functions.errors import Refusal
from functions.forms import RefusableForm
from functions.read_models.resource_use import use_page
from functions.views.resource_use import bar_of
from functions.views.responses import answer_refusals, signed_in
from socialcode.accounts.agents.accounts import (
    MAX_NAME_LENGTH,
    agents_of,
    create_agent,
    renew_token,
    retire_agent,
)
from socialcode.accounts.agents.labels import label_oneself, own_label, unlabel_oneself
from socialcode.accounts.forms import TokenPowersForm
from socialcode.accounts.views import proof_required


class AgentForm(TokenPowersForm, RefusableForm):
    """The name of a new agent, and what its token may do."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("Letters, digits and any of @ . + - _; [agent] is added to it."),
    )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@proof_required
def agents(request: HttpRequest) -> HttpResponse:
    """List the user's agents; a POST creates one, whose token is only shown once."""
    form, token, named = AgentForm(request.POST or None), "", ""
    if request.method == "POST" and form.is_valid():
        try:
            made, token = create_agent(
                actor=signed_in(request), name=form.cleaned_data["name"], **form.powers
            )
            form, named = AgentForm(), made.user.get_username()
        except Refusal as refusal:
            form.add_refusal(refusal)
    return _page(request, form, token, named)


@login_required
@never_cache
@require_POST
@proof_required
@answer_refusals
def renew(request: HttpRequest, username: str) -> HttpResponse:
    """Show a new token of an agent; its former ones are revoked."""
    token = renew_token(actor=signed_in(request), username=username)
    return _page(request, AgentForm(), token, username)


@login_required
@require_POST
@answer_refusals
def label(request: HttpRequest) -> HttpResponse:
    """Label the user's own account as an agent, or remove that label."""
    if request.POST.get("label") == "yes":
        label_oneself(actor=signed_in(request))
        messages.success(request, _("Your account is labelled as an agent's."))
    else:
        unlabel_oneself(actor=signed_in(request))
        messages.success(request, _("Your account is no longer labelled as an agent's."))
    return redirect("agents")


@login_required
@require_POST
@answer_refusals
def retire(request: HttpRequest, username: str) -> HttpResponse:
    """Revoke an agent's tokens."""
    retire_agent(actor=signed_in(request), username=username)
    messages.success(request, _("%(name)s can no longer sign in.") % {"name": username})
    return redirect("agents")


def _page(request: HttpRequest, form: AgentForm, token: str, named: str) -> HttpResponse:
    context = {"form": form, "token": token, "named": named}
    context["agents"] = [
        {"agent": agent, "bars": [bar_of(use, agent.pk) for use in use_page(agent.user).uses]}
        for agent in agents_of(signed_in(request))
    ]
    context["label"] = own_label(signed_in(request))
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "account/agents.html", context, status=status)
