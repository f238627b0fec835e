"""Origin checks of WebSockets: allowed are our own origin and those trusted to post forms."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host
from django.utils.http import is_same_domain

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

DEFAULT_PORTS = {"http": 80, "https": 443}
PAGE_SCHEMES = {"ws": "http", "wss": "https", "http": "http", "https": "https"}


class SameOrigin:
    """Denies sockets to other origins, because browsers send our cookies along."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Accept or deny the connection."""
        if is_allowed(scope):
            await self._application(scope, receive, send)
            return
        await receive()  # the connect event, which comes first
        await send({"type": "websocket.close"})


class Origin(NamedTuple):
    """The origin of a page."""

    scheme: str
    host: str
    port: int


def is_allowed(scope: Scope) -> bool:
    """Return whether the page that opens this socket has our origin or a trusted one.

    Our origin is the request's target, or behind a proxy, the one that the proxy announces.
    """
    host = _header(scope, b"host")
    origin = parse_origin(_header(scope, b"origin"))
    if origin is None or not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return False
    if origin == parse_origin(f"{PAGE_SCHEMES[scope['scheme']]}://{host}"):
        return True
    return any(_is_trusted(origin, trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def is_allowed_page(scope: Scope) -> bool:
    """Return whether a request comes from no page, as programs' do, or from an allowed one."""
    return all(name != b"origin" for name, _ in scope["headers"]) or is_allowed(scope)


def parse_origin(text: str) -> Origin | None:
    """Parse an Origin header; None if it is invalid or `null`."""
    try:
        scheme, authority, *rest = urlsplit(text)
        parts = urlsplit(f"//{authority}")
        port = parts.port or DEFAULT_PORTS[scheme]
    except (ValueError, KeyError):
        return None
    if not parts.hostname or "@" in authority or any(rest):
        return None
    return Origin(scheme, parts.hostname, port)


def _header(scope: Scope, name: bytes) -> str:
    """Return the header's value if it occurs exactly once, else an empty text."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin1") if len(values) == 1 else ""


def _is_trusted(origin: Origin, trusted: str) -> bool:
    """Return whether an origin matches a trusted one, such as `https://*.example.org`."""
    pattern = parse_origin(trusted.replace("://*.", "://", 1))
    if pattern is None or "://*." not in trusted:
        return origin == pattern
    is_below = is_same_domain(origin.host, f".{pattern.host}")
    return is_below and origin._replace(host=pattern.host) == pattern
