"""Settings as people write them in the environment; what can't be understood is refused."""

import ipaddress
import os
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

ON = ("1", "true", "t", "on", "yes", "y", "ok")
OFF = ("0", "false", "f", "off", "no", "n")


class SettingError(ImproperlyConfigured):
    """A setting can't be understood; the message names it, and says what it may be."""


class Environment(environ.Env):  # type: ignore[misc]  # it comes without types
    """Reads settings; raises SettingError where django-environ would guess, or trip."""

    def bool(self, var: str, default: Any = False) -> bool:
        """Return whether this is switched on; what is not set, or empty, is as by default."""
        given = os.environ.get(var, "").strip()
        if given and given.lower() not in (*ON, *OFF):
            raise SettingError(
                f"{var}={given!a} is neither on nor off. Write 1 or 0, or yes or no."
            )
        return given.lower() in ON if given else bool(default)

    def int(self, var: str, default: Any = 0) -> int:
        """Return the whole number that is set; what is not set, or empty, is as by default."""
        given = os.environ.get(var, "").strip()
        if given and not (given.isascii() and given.isdecimal()):
            raise SettingError(f"{var}={given!a} is no whole number, such as {default}.")
        return int(given or default)

    def networks(self, var: str, default: str = "") -> list[str]:
        """Return networks that are separated by commas; an address is one, too.

        Those of IPv4 come twice: the second time as a socket of IPv6 sees them.
        """
        networks = []
        for word in (os.environ.get(var, "").strip() or default).split(","):
            try:
                network = ipaddress.ip_network(word.strip(), strict=False)
            except ValueError:
                raise SettingError(
                    f"{var} has {word.strip()!a}, which is no address and no network. Write some"
                    " such as 10.0.0.5 or 10.0.0.0/24, separated by commas."
                ) from None
            networks.append(str(network))
            if network.version == 4:
                networks.append(f"::ffff:{network.network_address}/{96 + network.prefixlen}")
        return networks
