"""The identity providers that an operator has set up, read from the environment."""

import os
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from socialcode.environment import SettingError

PROVIDERS = "SOCIALCODE_OIDC_PROVIDERS"
# What needn't be set for providers that many people use.
KNOWN = {"google": ("Google", "https://accounts.google.com")}
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcProvider:
    """A provider: its id in addresses, what people call it, and what it knows this site by."""

    id: str
    name: str
    issuer: str
    client_id: str
    client_secret: str


def read_providers() -> tuple[OidcProvider, ...]:
    """Return the providers that are set up, in order. Raises SettingError."""
    ids = [word.strip() for word in os.environ.get(PROVIDERS, "").split(",")]
    return tuple(_read(one) for one in ids if one)


def _read(provider_id: str) -> OidcProvider:
    if not re.fullmatch(r"[a-z][a-z0-9]{0,29}", provider_id):
        raise SettingError(
            f"{PROVIDERS} has {provider_id!a}. Write small letters and digits: google,work"
        )
    name, issuer = KNOWN.get(provider_id, (provider_id.capitalize(), ""))
    provider = OidcProvider(
        id=provider_id,
        name=_value(provider_id, "NAME", name),
        issuer=_value(provider_id, "ISSUER", issuer).rstrip("/"),
        client_id=_value(provider_id, "CLIENT_ID"),
        client_secret=_value(provider_id, "CLIENT_SECRET"),
    )
    url = urlsplit(provider.issuer)
    if url.scheme != "https" and url.hostname not in LOCAL_HOSTS:
        raise SettingError(
            f"{_setting(provider_id, 'ISSUER')}={provider.issuer!a} is not an https address."
        )
    return provider


def _value(provider_id: str, part: str, default: str = "") -> str:
    name = _setting(provider_id, part)
    value = os.environ.get(name, "").strip() or default
    if not value:
        raise SettingError(f"{PROVIDERS} has {provider_id!a}. Set {name}, too.")
    return value


def _setting(provider_id: str, part: str) -> str:
    return f"SOCIALCODE_OIDC_{provider_id.upper()}_{part}"
