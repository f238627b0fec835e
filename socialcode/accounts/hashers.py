"""Django's password hashers, of which few compute at once, and none holds a database connection.

They stand below whatever signs people in or up: forms, the admin's pages, the API, commands.
"""

import functools
from typing import Any

from django.contrib.auth import hashers

from socialcode.accounts.hash_gate import client_address, gate


class _Gated(hashers.BasePasswordHasher):
    """A hasher whose `encode`, which is also what `verify` computes, waits for its turn."""

    def encode(self, *args: Any, **kwargs: Any) -> Any:
        hashing = functools.partial(super().encode, *args, **kwargs)
        return gate.compute(hashing, client_address.get())


class ScryptHasher(_Gated, hashers.ScryptPasswordHasher):
    """scrypt; the format is Django's."""


class PBKDF2Hasher(_Gated, hashers.PBKDF2PasswordHasher):
    """PBKDF2, for passwords of sites that used it before; the format is Django's."""
