"""Addresses that webhooks may be sent to: public ones, by https."""

import ipaddress
import re
import socket
from collections.abc import Iterator
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from functions.errors import Refusal

MAX_URL_LENGTH = 500
HTTPS_PORT, HTTP_PORT, FIRST_FREE_PORT = 443, 80, 1_024
_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_NAME = re.compile(r"(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{1,63}")
# Names that the public domain name system doesn't have.
_LOCAL_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home.arpa", "test", "invalid")

_IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
# IPv6 addresses that contain an IPv4 address, at these bits from the right.
_IPV4_INSIDE = (
    (ipaddress.IPv6Network("::/96"), 0),  # compatible
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),  # mapped
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),  # translated
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),  # NAT64
    (ipaddress.IPv6Network("2002::/16"), 80),  # 6to4
)
# Not global, though some versions of Python say that they are.
_NOT_GLOBAL = tuple(
    ipaddress.ip_network(each)
    for each in (
        *("192.88.99.0/24", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32"),
        *("3fff::/20", "5f00::/16", "fec0::/10"),
    )
)


class PrivateAddress(Exception):
    """A name stands for an address that is not public."""


def check_url(url: str) -> str:
    """Return the host of an address, with its port, if a webhook may have it.

    Names are looked up each time that something is sent, so not here. Raises Refusal.
    """
    if not _PRINTABLE.fullmatch(url) or len(url) > MAX_URL_LENGTH:
        message = _(
            "An address has up to %(count)s letters, digits and signs of ASCII, without blanks; "
            "write other letters of a name in Punycode, and those of a path as %%xx."
        )
        raise _refusal("invalid_url", message % {"count": MAX_URL_LENGTH})
    try:
        parts = urlsplit(url)
        port = port_of(parts)
    except ValueError:
        message = _("This is not an address, such as https://example.org/hooks.")
        raise _refusal("invalid_url", message) from None
    if parts.scheme not in ({"http", "https"} if settings.WEBHOOKS_TO_PRIVATE else {"https"}):
        raise _refusal("not_https", _("Write an address that begins with https://."))
    if parts.username is not None or parts.password is not None:
        message = _(
            "The address has a user name or password, which would be shown in lists. Remove it, "
            "and tell our requests from others by their signature."
        )
        raise _refusal("url_with_password", message)
    if parts.fragment:
        message = _("Remove the # and what follows; it is never sent to a server.")
        raise _refusal("invalid_url", message)
    if settings.WEBHOOKS_TO_PRIVATE and parts.hostname:
        return f"{parts.hostname}:{port}"
    if port != HTTPS_PORT and port < FIRST_FREE_PORT:
        message = _("Use port %(https)s, or one from %(first)s on.")
        raise _refusal("reserved_port", message % {"https": HTTPS_PORT, "first": FIRST_FREE_PORT})
    _check_host(parts.hostname or "")
    return f"{parts.hostname}:{port}"


def port_of(parts: SplitResult) -> int:
    """Return the port of an address. Raises ValueError if it is not a number."""
    return parts.port or (HTTP_PORT if parts.scheme == "http" else HTTPS_PORT)


def public_addresses(found: Iterator[str] | list[str]) -> list[str]:
    """Return these IP addresses. Raises PrivateAddress if any of them is not public."""
    addresses = list(dict.fromkeys(found))
    if not settings.WEBHOOKS_TO_PRIVATE:
        for address in addresses:
            if not is_public(address):
                raise PrivateAddress(address)
    return addresses


def is_public(address: str) -> bool:
    """Return whether this is an IP address that everybody reaches on the Internet.

    Those inside an IPv6 address count, as a gateway would pass a packet on to them.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return all(_is_global(each) for each in _with_inner(parsed))


def _with_inner(address: _IPAddress) -> Iterator[_IPAddress]:
    inner = None
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            yield ipaddress.IPv4Address(0)  # of one link, so not public
        shifts = (shift for network, shift in _IPV4_INSIDE if address in network)
        inner = next(shifts, None)
    if inner is None:
        yield address
    else:
        yield ipaddress.IPv4Address((int(address) >> inner) & 0xFFFFFFFF)


def _is_global(address: _IPAddress) -> bool:
    is_excepted = any(
        address in network for network in _NOT_GLOBAL if network.version == address.version
    )
    return (
        address.is_global
        and not is_excepted
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_unspecified
    )


def _check_host(host: str) -> None:
    """Refuse hosts that can't be public, whatever a look-up of their name says."""
    literal = _literal(host)
    if literal is not None:
        if not is_public(literal):
            message = _("%(host)s is a private address; webhooks are sent to public ones only.")
            raise _refusal("private_address", message % {"host": host})
        return
    is_local = any(f".{host}".endswith(f".{name}") for name in _LOCAL_NAMES)
    if is_local or "." not in host:
        message = _(
            "%(host)s is not a public name; webhooks are sent to servers that everybody reaches."
        )
        raise _refusal("private_address", message % {"host": host or "?"})
    if not _NAME.fullmatch(host):
        raise _refusal("invalid_url", _("%(host)s is not a host name.") % {"host": host})


def _literal(host: str) -> str | None:
    """Return the IP address that this host is written as, in any form that a system accepts."""
    if ":" in host:
        return host
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return None


def _refusal(code: str, message: str) -> Refusal:
    return Refusal(code, message, field="url")
