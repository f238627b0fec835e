"""What django-allauth asks of this site about accounts at identity providers."""

import time
from typing import Any

import requests
from allauth.account import app_settings
from allauth.account.internal.flows.login import (
    get_authentication_records,
    record_authentication,
)
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy

from socialcode.accounts.names.rules import NameTaken, require_claim
from socialcode.accounts.passwords.hash_gate import release_connections

KIND = "openid_connect"
METHOD = "socialaccount"  # of allauth's records of what somebody signed in with
# What is kept of what a provider tells: what tells accounts apart in the settings.
KEPT_CLAIMS = ("sub", "email", "preferred_username", "name")


class ProviderAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Reads providers from the settings, and keeps little of what they tell."""

    error_messages = {
        **DefaultSocialAccountAdapter.error_messages,
        "no_password": gettext_lazy("Set a password first, or you could no longer sign in."),
    }

    def list_apps(
        self,
        request: HttpRequest,  # noqa: ARG002 - allauth's
        provider: str | None = None,
        client_id: str | None = None,
    ) -> list[SocialApp]:
        """Return the providers of the settings; none are in the database."""
        return [
            SocialApp(
                provider=KIND,
                provider_id=one.id,
                name=one.name,
                client_id=one.client_id,
                secret=one.client_secret,
                settings={"server_url": one.issuer, "oauth_pkce_enabled": True},
            )
            for one in settings.OIDC_PROVIDERS
            if provider in (None, KIND, one.id) and client_id in (None, one.client_id)
        ]

    def get_requests_session(self) -> requests.Session:
        """Return a session to ask a provider, for which no database connection is held."""
        release_connections()
        session: requests.Session = super().get_requests_session()
        return session

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Keep little of what the provider tells; note a proof of who the user is.

        Raises OAuth2Error if it was told to somebody else.
        """
        account = sociallogin.account
        told = account.extra_data
        claims = told.get("userinfo") or told.get("id_token") or {}
        kept = {name: claims[name] for name in KEPT_CLAIMS if name in claims}
        account.extra_data = {"userinfo": kept}
        if sociallogin.is_existing:
            account.save(update_fields=["extra_data"])  # over all of it, which allauth has saved
        _require_own_token(told, sociallogin.state)
        is_again = sociallogin.state.get("process") == AuthProcess.REDIRECT
        if is_again and sociallogin.is_existing and sociallogin.user == request.user:
            record_proof(request)

    def validate_disconnect(self, account: Any, accounts: Any) -> None:
        """Let an account at a provider go that has left the settings, which allauth asks for it."""
        super().validate_disconnect(account, accounts)
        if all(one.id != account.provider for one in settings.OIDC_PROVIDERS):
            former = SocialApp(provider=KIND, provider_id=account.provider, name=account.provider)
            account._provider = former.get_provider(self.request)  # noqa: SLF001

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Save a new account. Raises NameTaken."""
        try:
            with transaction.atomic():
                user: User = super().save_user(request, sociallogin, form)
                require_claim(user)
        except IntegrityError as error:
            raise NameTaken from error
        return user


def _require_own_token(told: dict[str, Any], state: dict[str, Any]) -> None:
    """Raise OAuth2Error unless the ID token answers this visitor's request, and is of who signs in.

    The nonce was sent with the request and is kept in the visitor's session.
    """
    token, nonce = told.get("id_token", {}), state.get("nonce")
    if not nonce or not constant_time_compare(str(token.get("nonce", "")), nonce):
        raise OAuth2Error("the ID token has another nonce")
    if "userinfo" in told and told["userinfo"].get("sub") != token.get("sub"):
        raise OAuth2Error("the ID token is of another account")


def record_proof(request: HttpRequest) -> None:
    """Note that this user has just signed in at their provider again."""
    record_authentication(request, request.user, METHOD, reauthenticated=True)


def has_proof(request: HttpRequest) -> bool:
    """Return whether this user has just signed in at their provider again."""
    records = get_authentication_records(request, request.user)
    times = [one["at"] for one in records if one["method"] == METHOD and one.get("reauthenticated")]
    return bool(times) and time.time() - times[-1] < app_settings.REAUTHENTICATION_TIMEOUT
