"""The system's keyring. It takes long to load, so it is imported only where a token is needed."""

import keyring
from keyring.errors import KeyringError

_KEPT_BY = "socialcode-client"


def find(address: str) -> str | None:
    """Return the token of a site, if a usable keyring has one."""
    try:
        return keyring.get_password(_KEPT_BY, address) if _is_usable() else None
    except KeyringError:
        return None


def keep(address: str, token: str) -> str | None:
    """Keep a token; return the keyring's name, or None if there is no usable one."""
    try:
        if not _is_usable():
            return None
        keyring.set_password(_KEPT_BY, address, token)
    except KeyringError:
        return None
    return str(keyring.get_keyring().name)


def forget(address: str) -> None:
    """Delete the token of a site."""
    try:
        if _is_usable():
            keyring.delete_password(_KEPT_BY, address)
    except KeyringError:
        pass  # there was none


def _is_usable() -> bool:
    try:
        return keyring.get_keyring().priority >= 1
    except RuntimeError:
        return False
