"""Reads settings from the environment, and refuses invalid ones."""

import ipaddress
import os
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

ON = ("1", "true", "t", "on", "yes", "y", "ok")
OFF = ("0", "false", "f", "off", "no", "n")


class SettingError(ImproperlyConfigured):
    """Raised for an invalid setting; the message names it and the valid values."""


class Environment(environ.Env):  # type: ignore[misc]  # it comes without types
    """Reads settings. Raises SettingError where django-environ would guess or fail."""

    def bool(self, var: str, default: Any = False) -> bool:
        """Return a boolean setting; the default if it is unset or empty."""
        given = os.environ.get(var, "").strip()
        if given and given.lower() not in (*ON, *OFF):
            raise SettingError(f"{var}={given!a} is not a boolean. Write 1 or 0, or yes or no.")
        return given.lower() in ON if given else bool(default)

    def int(self, var: str, default: Any = 0) -> int:
        """Return an integer setting; the default if it is unset or empty."""
        given = os.environ.get(var, "").strip()
        if given and not (given.isascii() and given.isdecimal()):
            raise SettingError(f"{var}={given!a} is not a whole number, such as {default}.")
        return int(given or default)

    def networks(self, var: str, default: str = "") -> list[str]:
        """Return a comma-separated list of networks or addresses.

        IPv4 networks are included a second time as IPv6 sockets see them.
        """
        networks = []
        for word in (os.environ.get(var, "").strip() or default).split(","):
            try:
                network = ipaddress.ip_network(word.strip(), strict=False)
            except ValueError:
                raise SettingError(
                    f"{var} has {word.strip()!a}, which is not an address or a network. Write some"
                    " such as 10.0.0.5 or 10.0.0.0/24, separated by commas."
                ) from None
            networks.append(str(network))
            if network.version == 4:
                networks.append(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
        return networks
