"""Pages on the way to an identity provider and back."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

import requests
import structlog
from allauth.account.internal.flows.reauthentication import resume_request
from allauth.account.utils import get_next_redirect_url
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialAccount, SocialApp
from allauth.socialaccount.providers.base import AuthProcess
from allauth.socialaccount.providers.openid_connect import views as allauth
from allauth.socialaccount.views import ConnectionsView, SignupView
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from functions.views.intents import carry_intent
from socialcode.accounts.names.rules import NameTaken

log = structlog.get_logger(__name__)
NONCE_LENGTH = 32
# What is done with the account at the provider, by the value of a form's button.
PROCESSES = {
    "sign-in": AuthProcess.LOGIN,
    "connect": AuthProcess.CONNECT,
    "again": AuthProcess.REDIRECT,
}
View = Callable[..., HttpResponse]


def answer_unreachable(view: View) -> View:
    """Tell the visitor that the provider can't be reached now."""

    @wraps(view)
    def answered(request: HttpRequest, provider_id: str) -> HttpResponse:
        try:
            return view(request, provider_id)
        except requests.RequestException as error:
            log.warning("provider_unreachable", provider=provider_id, error=str(error))
            context = {"provider_id": provider_id}
            status = HTTPStatus.BAD_GATEWAY
            return render(request, "socialaccount/unreachable.html", context, status=status)

    return answered


@never_cache
@require_POST
@answer_unreachable
def start(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the provider.

    The answer is a page, because the policy of pages forbids forms that lead to other sites, also
    by a redirect.
    """
    try:
        provider = get_adapter().get_provider(request, provider_id)
    except SocialApp.DoesNotExist:
        raise Http404 from None
    process = PROCESSES.get(request.POST.get("process", ""), AuthProcess.LOGIN)
    carry_intent(request)
    next_url = get_next_redirect_url(request)
    nonce = get_random_string(NONCE_LENGTH)
    auth_params = {"nonce": nonce}
    if process == AuthProcess.REDIRECT:
        # To a page that does what was asked for; the provider asks for the password again.
        next_url = f"{reverse('shown-up-again')}?{urlencode({'next': next_url or '/'})}"
        auth_params["max_age"] = "0"
    answer: HttpResponse = provider.redirect(
        request, process, next_url=next_url, nonce=nonce, auth_params=auth_params
    )
    if answer.status_code != HTTPStatus.FOUND:
        return answer
    context = {"provider": provider, "address": answer["Location"]}
    page = render(request, "socialaccount/leaving.html", context)
    page["Refresh"] = f"0; url={answer['Location']}"
    return page


@never_cache
@require_safe
@answer_unreachable
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take up what a visitor wanted whom the provider has sent back."""
    return allauth.callback(request, provider_id)  # type: ignore[no-any-return]


@login_required
@never_cache
@require_safe
def ask_again(request: HttpRequest) -> HttpResponse:
    """Ask somebody without a password to sign in at their provider again."""
    own = SocialAccount.objects.filter(user=request.user).values_list("provider", flat=True)
    providers = [one for one in get_adapter().list_providers(request) if one.sub_id in set(own)]
    context = {"providers": providers, "next": get_next_redirect_url(request) or "/"}
    return render(request, "socialaccount/again.html", context)


@login_required
@never_cache
@require_safe
def shown_up_again(request: HttpRequest) -> HttpResponse:
    """Do what somebody wanted before signing in at their provider again."""
    answer: HttpResponse | None = resume_request(request)
    return answer or redirect("/")


class ProviderSignUp(SignupView):  # type: ignore[misc]  # it comes without types
    """Creates an account for somebody who has signed in at a provider."""

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            return super().form_valid(form)  # type: ignore[no-any-return]
        except NameTaken as refusal:
            form.add_error("username", refusal)
            return self.form_invalid(form)  # type: ignore[no-any-return]


class Connections(ConnectionsView):  # type: ignore[misc]  # it comes without types
    """Lists accounts at providers that sign in as the user; a POST disconnects one."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        names = {one.id: one.name for one in settings.OIDC_PROVIDERS}
        rows = [
            (one, names.get(one.provider, one.provider), label_of(one))
            for one in context["form"].accounts
        ]
        return {**context, "rows": rows}


def label_of(account: SocialAccount) -> str:
    """Return what tells an account at a provider from others there."""
    told: dict[str, str] = account.extra_data.get("userinfo", {})
    known = (told.get(name) for name in ("email", "preferred_username", "name"))
    return next(filter(None, known), account.uid)
