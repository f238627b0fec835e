"""Reads settings from the environment, and refuses invalid ones."""

import ipaddress
import os
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

ON = ("1", "true", "t", "on", "yes", "y", "ok")
OFF = ("0", "false", "f", "off", "no", "n")


class SettingError(ImproperlyConfigured):
    """Raised for an invalid setting; the message names it and the valid values."""


class Environment(environ.Env):  # type: ignore[misc]  # it comes without types
    """Reads settings; raises SettingError for values that django-environ misreads or fails on."""

    def bool(self, var: str, default: Any = False) -> bool:
        """Return a boolean setting; the default if it is unset or empty."""
        text = os.environ.get(var, "").strip()
        if text and text.lower() not in (*ON, *OFF):
            raise SettingError(f"{var}={text!a} is not a boolean. Write 1 or 0, or yes or no.")
        return text.lower() in ON if text else bool(default)

    def int(self, var: str, default: Any = 0) -> int:
        """Return an integer setting; the default if it is unset or empty."""
        text = os.environ.get(var, "").strip()
        if text and not (text.isascii() and text.isdecimal()):
            raise SettingError(f"{var}={text!a} is not a whole number, such as {default}.")
        return int(text or default)

    def license(self, var: str, default: str = "") -> str:
        """Return an SPDX license expression in its usual spelling."""
        text = os.environ.get(var, "").strip() or default
        try:
            return str(canonicalize_license_expression(text))
        except InvalidLicenseExpression:
            raise SettingError(
                f"{var}={text!a} is not an SPDX license expression, such as {default}."
            ) from None

    def socket(self, var: str, default: str = "") -> str:
        """Return the path of a Unix socket, or `tcp://host:port`; the default if it is unset."""
        text = os.environ.get(var, "").strip() or default
        if text.startswith("tcp:") and not _is_tcp_address(text):
            raise SettingError(
                f"{var}={text!a} is not an address. Write one as tcp://10.0.0.5:7000."
            )
        return text

    def networks(self, var: str, default: str = "") -> list[str]:
        """Return a comma-separated list of networks or addresses.

        IPv4 networks are added a second time in the form in which IPv6 sockets report them.
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


def _is_tcp_address(text: str) -> bool:
    url = urlsplit(text)
    try:
        return bool(url.hostname and url.port) and text.endswith(f":{url.port}")
    except ValueError:
        return False
