"""Pages to sign up, in and out, and to manage tokens."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from itertools import chain
from typing import Any, TypeVar, cast

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.account.views import (
    LoginView,
    PasswordChangeView,
    ReauthenticateView,
    SignupView,
)
from allauth.core.exceptions import ReauthenticationRequired
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from functions.views.intents import FIELD, carry_intent, purpose_of
from socialcode.accounts.forms import TokenForm
from socialcode.accounts.names.rules import NameTaken
from socialcode.accounts.sign_in.adapter import TOO_MANY_GUESSES
from socialcode.accounts.tokens import create_token, revoke_token, tokens_of

AnyView = TypeVar("AnyView", bound=Callable[..., HttpResponseBase])


def _is_post(request: HttpRequest) -> bool:
    return request.method == "POST"


def proof_required(view: AnyView, *, enabled: Callable[[HttpRequest], bool] = _is_post) -> AnyView:
    """Ask users to show again who they are: before they post to this view, or where enabled."""

    @wraps(view)
    def proven(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if enabled(request) and is_reauthentication_required(request, app="socialcode"):
            require_proof_method(request.user)
            raise ReauthenticationRequired
        return view(request, *args, **kwargs)

    return cast("AnyView", proven)


def require_proof_method(user: User | AnonymousUser) -> None:
    """Tell users who have nothing to prove who they are by what to do."""
    if user.is_authenticated and not get_adapter().get_reauthentication_methods(user):
        raise PermissionDenied(
            _(
                "Your account has no password. Set one by a mail: sign out, and follow"
                " “Forgot your password?”."
            )
        )


class IntentMixin:
    """Keeps what the visitor wanted to do before signing in."""

    request: HttpRequest

    def form_valid(self, form: Any) -> HttpResponse:
        carry_intent(self.request)
        return super().form_valid(form)  # type: ignore[misc, no-any-return]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        token = self.request.POST.get(FIELD) or self.request.GET.get(FIELD, "")
        purpose = purpose_of(self.request, token)
        context = super().get_context_data(**kwargs)  # type: ignore[misc]
        own = {FIELD: token if purpose else "", "purpose": purpose}
        return {**context, "next": context["redirect_field_value"], **own}


class GuessMixin:
    """Answers 429 when there were too many guesses at a password."""

    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]
        for error in chain.from_iterable(form.errors.as_data().values()):
            if error.code == TOO_MANY_GUESSES:
                response.status_code = HTTPStatus.TOO_MANY_REQUESTS
                response["Retry-After"] = str(error.params["wait_seconds"])
        return response


class SignIn(GuessMixin, IntentMixin, LoginView):  # type: ignore[misc]
    """Signs in by name or address and password."""


class ProofMixin:
    """Refuses users who have nothing to prove who they are by."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        require_proof_method(request.user)
        return super().dispatch(request, *args, **kwargs)  # type: ignore[misc, no-any-return]


class PasswordAgain(ProofMixin, GuessMixin, ReauthenticateView):  # type: ignore[misc]
    """Asks for the password again before a sensitive change."""


class PasswordChange(GuessMixin, PasswordChangeView):  # type: ignore[misc]
    """Changes the password of whoever knows the present one."""


class SignUp(IntentMixin, SignupView):  # type: ignore[misc]  # it comes without types
    """Creates an account and signs in."""

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            return super().form_valid(form)
        except NameTaken as refusal:
            form.add_error("username", refusal)
            return self.form_invalid(form)  # type: ignore[no-any-return]


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@proof_required
def tokens(request: HttpRequest) -> HttpResponse:
    """List the user's tokens; a POST creates one, whose text is only shown once."""
    text = ""
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["name"]
        _, text = create_token(user=_user(request), name=name, **form.powers)
        form = TokenForm()
    context = {"form": form, "tokens": tokens_of(_user(request)), "new_token": text}
    return render(request, "account/tokens.html", context)


@login_required
@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke one of the user's tokens."""
    if not revoke_token(user=_user(request), token_id=token_id):
        raise Http404
    return redirect("tokens")


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - ensured by login_required
    return request.user
