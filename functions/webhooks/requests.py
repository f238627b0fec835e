"""Requests to receivers of webhooks: to checked addresses only, short, without redirects."""

import asyncio
import socket
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import SplitResult, urlsplit

import httpx2

from functions.webhooks.addresses import PrivateAddress, port_of, public_addresses

CONNECT_SECONDS = 5.0
TOTAL_SECONDS = 10.0
MAX_ANSWER_BYTES = 4_096
MAX_ADDRESSES_TRIED = 3
RESOLVERS = 16

# Returns the IP addresses of a name.
Resolver = Callable[[str, int], Awaitable[list[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The outcome of a request: a status and the beginning of the body, or an error."""

    status: int | None = None
    body: str = ""
    error: str = ""
    duration_ms: int = 0

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


GONE: Final = 410

# Look-ups block, for longer than a request may take; so not in the event loop's own threads, which
# it would wait for.
_resolvers = ThreadPoolExecutor(RESOLVERS, "resolver")


async def resolve(host: str, port: int) -> list[str]:
    """Return the IP addresses that the system knows for a name; a `Resolver`."""

    def look_up() -> list[str]:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
        return [str(address[0]) for *_, address in found]

    return await asyncio.get_running_loop().run_in_executor(_resolvers, look_up)


@cache
def trusted_authorities() -> ssl.SSLContext:
    """Return a TLS context with the system's authorities, or those of SSL_CERT_FILE."""
    return httpx2.create_ssl_context()


async def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    resolver: Resolver = resolve,
    context: ssl.SSLContext | None = None,
) -> Answer:
    """Post this body; returns an answer, whatever happens, within TOTAL_SECONDS."""
    began = time.monotonic()
    status, text, error = None, "", ""
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            status, text = await _post(url, body, headers, resolver, context)
    except TimeoutError:
        error = f"no complete answer within {TOTAL_SECONDS:.0f} seconds"
    except PrivateAddress as refused:
        error = f"the name stands for {refused}, which is not a public address"
    except socket.gaierror as fault:
        error = f"the name was not found: {fault.strerror}"
    except httpx2.TimeoutException:
        error = "the connection took too long"
    except (httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError, OSError, ValueError) as fault:
        error = f"{type(fault).__name__}: {fault}"
    duration_ms = round((time.monotonic() - began) * 1_000)
    return Answer(status=status, body=text, error=error[:300], duration_ms=duration_ms)


async def _post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    resolver: Resolver,
    context: ssl.SSLContext | None,
) -> tuple[int, str]:
    parts = urlsplit(url)
    found = await resolver(parts.hostname or "", port_of(parts))
    # All are checked before any is tried: one that is private makes the name suspect.
    addresses = public_addresses(found)
    if not addresses:
        raise socket.gaierror(socket.EAI_NONAME, "no address")
    *others, last = addresses[:MAX_ADDRESSES_TRIED]
    for address in others:
        try:
            return await _post_to(address, parts, body, headers, context)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            continue
    return await _post_to(last, parts, body, headers, context)


async def _post_to(
    address: str,
    parts: SplitResult,
    body: bytes,
    headers: Mapping[str, str],
    context: ssl.SSLContext | None,
) -> tuple[int, str]:
    """Post to this IP address, under the name that was looked up.

    The name is not looked up again, so it can't stand for another address meanwhile.
    """
    host = f"[{address}]" if ":" in address else address
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    # A connection of its own, as another name may stand for the same address.
    async with httpx2.AsyncClient(
        verify=context or trusted_authorities(),
        timeout=httpx2.Timeout(TOTAL_SECONDS, connect=CONNECT_SECONDS),
        follow_redirects=False,
        trust_env=False,
    ) as client:
        request = client.build_request(
            "POST",
            f"{parts.scheme}://{host}:{port_of(parts)}{path}",
            content=body,
            headers={**headers, "host": parts.netloc, "accept-encoding": "identity"},
            extensions={"sni_hostname": parts.hostname},
        )
        answer = await client.send(request, stream=True)
        try:
            return answer.status_code, await _beginning(answer)
        finally:
            await answer.aclose()


async def _beginning(answer: httpx2.Response) -> str:
    """Return how the body begins; the rest is not read."""
    read = b""
    async for chunk in answer.aiter_raw():
        read += chunk
        if len(read) >= MAX_ANSWER_BYTES:
            break
    text = read[:MAX_ANSWER_BYTES].decode(errors="replace")
    return text.replace("\0", "\ufffd")
