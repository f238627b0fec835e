"""Pages of second factors, where they differ from django-allauth's."""

from typing import Any

from allauth.mfa.base.views import AuthenticateView, ReauthenticateView
from allauth.mfa.webauthn.internal.auth import begin_authentication, begin_registration
from allauth.mfa.webauthn.views import (
    AddWebAuthnView,
    LoginWebAuthnView,
    ReauthenticateWebAuthnView,
)
from django.http import HttpRequest, HttpResponse, JsonResponse

from functions.views.intents import carry_intent
from socialcode.accounts.views import GuessMixin, ProofMixin


class SecondFactor(GuessMixin, AuthenticateView):  # type: ignore[misc]  # it comes without types
    """Asks for the second factor when signing in."""


class CodeAgain(ProofMixin, GuessMixin, ReauthenticateView):  # type: ignore[misc]
    """Asks for a code before a sensitive change."""


class PasskeyAgain(ProofMixin, ReauthenticateWebAuthnView):  # type: ignore[misc]
    """Asks for a passkey before a sensitive change."""


class NewPasskey(AddWebAuthnView):  # type: ignore[misc]
    """Adds a passkey, which signs in by itself."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**kwargs)
        # After allauth's own, because each replaces the challenge in the session.
        options = begin_registration(self.request.user, passwordless=True)
        return {**context, "js_data": {"creation_options": options}}


class PasskeySignIn(LoginWebAuthnView):  # type: ignore[misc]
    """Signs in by a passkey alone; a GET returns what the browser needs to ask for it."""

    def get(self, request: HttpRequest, *_args: Any, **_kwargs: Any) -> HttpResponse:  # noqa: ARG002
        return JsonResponse({"request_options": begin_authentication(user=None)})

    def form_valid(self, form: Any) -> HttpResponse:
        carry_intent(self.request)
        return super().form_valid(form)  # type: ignore[no-any-return]
