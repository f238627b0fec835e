"""A real OpenID provider on this machine, and a visitor's way to it and back."""

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
import requests
from django.test import Client
from oidc_provider_mock import run_server_in_thread
from pytest_django import Settings

from socialcode.accounts.providers.configuration import OidcProvider
from tests.patience import PATIENCE_SECONDS


class Provider(NamedTuple):
    """A running provider, which knows everybody."""

    url: str

    def know(self, sub: str, **claims: str | bool) -> None:
        """Have it tell this of an account."""
        address = f"{self.url}/users/{sub}"
        requests.put(address, json=claims, timeout=PATIENCE_SECONDS).raise_for_status()

    def sign_in(self, browser: Client, sub: str, *, process: str = "sign-in", **form: str) -> Any:
        """Go to the provider, sign in there, and come back; return the answer to that."""
        leaving = browser.post("/accounts/oidc/work/", {"process": process, **form})
        return self.come_back(browser, leaving, {"sub": sub})

    def come_back(self, browser: Client, leaving: Any, form: dict[str, str]) -> Any:
        address = leaving["Refresh"].removeprefix("0; url=")
        answer = requests.post(address, form, allow_redirects=False, timeout=PATIENCE_SECONDS)
        back = urlsplit(answer.headers["Location"])
        return browser.get(f"{back.path}?{back.query}")


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with run_server_in_thread() as server:
        url = f"http://localhost:{server.server_port}"
        settings.OIDC_PROVIDERS = (
            OidcProvider(id="work", name="Work", issuer=url, client_id="us", client_secret="shh"),
        )
        yield Provider(url)
