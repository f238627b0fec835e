"""Django's password hashers with limited concurrency, and without holding a database connection.

All ways to sign in or up use them: forms, the admin, the API and commands.
"""

import functools
from typing import Any

from django.contrib.auth import hashers

from socialcode.accounts.passwords.hash_gate import gate
from socialcode.accounts.security.origin import origin


class _Gated(hashers.BasePasswordHasher):
    """A hasher whose `encode`, which `verify` calls as well, passes the hash gate."""

    def encode(self, *args: Any, **kwargs: Any) -> Any:
        hashing = functools.partial(super().encode, *args, **kwargs)
        return gate.compute(hashing, origin.get().network)


class ScryptHasher(_Gated, hashers.ScryptPasswordHasher):
    """scrypt; the format is Django's."""


class PBKDF2Hasher(_Gated, hashers.PBKDF2PasswordHasher):
    """PBKDF2, for passwords of sites that used it before; the format is Django's."""
