"""A flood of sign-in requests by sixty clients without accounts, in a separate process."""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from benchmarks.report import Figure, spread
from benchmarks.site import HOST, ROOT

CLIENTS = 60
WARM_UP_SECONDS = 1.0
THINKING_SECONDS = 0.05
FEWEST_PAGES = 20


class Client:
    """A client with an address, which sends a request after each response without a pause."""

    def __init__(self, port: int, address: str) -> None:
        self._port, self._address = port, address
        self.answers: Counter[str] = Counter()

    async def sign_in_until(self, end: float) -> None:
        """Try to sign in with invalid names and passwords."""
        while time.monotonic() < end:
            try:
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + 30):
                    await self._on_one_connection(end)
            except (OSError, EOFError, TimeoutError, asyncio.IncompleteReadError):
                self.answers["no answer"] += 1

    async def _on_one_connection(self, end: float) -> None:
        reader, writer = await asyncio.open_connection(
            HOST, self._port, local_addr=(self._address, 0)
        )
        try:
            while time.monotonic() < end:
                writer.write(self._request())
                head = await reader.readuntil(b"\r\n\r\n")
                self.answers[head.split(b" ", 2)[1].decode()] += 1
                lines = head.lower().split(b"\r\n")
                size = next(line for line in lines if line.startswith(b"content-length:"))
                await reader.readexactly(int(size.partition(b":")[2]))
                if b"connection: close" in lines:
                    return
        finally:
            writer.close()

    def _request(self) -> bytes:
        token = secrets.token_hex(16)  # any value is valid, if cookie and field are equal
        form = {"username": secrets.token_hex(4), "password": "guess", "csrfmiddlewaretoken": token}
        body = urlencode(form)
        return (
            f"POST /accounts/login/ HTTP/1.1\r\nHost: {HOST}:{self._port}\r\n"
            f"Cookie: csrftoken={token}\r\nContent-Length: {len(body)}\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}"
        ).encode()


async def flood(port: int, seconds: float, *, many_addresses: bool) -> dict[str, int]:
    """Flood the site; return the number of responses by status."""
    clients = [
        Client(port, f"127.0.1.{number + 1}" if many_addresses else "127.0.2.1")
        for number in range(CLIENTS)
    ]
    end = time.monotonic() + seconds
    await asyncio.gather(*(client.sign_in_until(end) for client in clients))
    return dict(sum((client.answers for client in clients), Counter[str]()))


def start(port: int, seconds: float, *, many_addresses: bool) -> subprocess.Popen[str]:
    """Start the flood at low priority, if possible; its output is JSON."""
    words = ["-m", "benchmarks.flood", str(port), str(seconds)]
    return subprocess.Popen(
        ["nice", "-n", "19", sys.executable, *words, *["--many"][: int(many_addresses)]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def measure(port: int, read: Callable[[], float], seconds: float) -> list[Figure]:
    """Return figures of page times during floods from one address and from many, and without."""
    quiet = _read_for(read, seconds)
    ratios, flooded = [], []
    for many_addresses in (False, True):
        with start(port, seconds + WARM_UP_SECONDS, many_addresses=many_addresses) as clients:
            time.sleep(WARM_UP_SECONDS)
            times = _read_for(read, seconds)
            answers = json.loads(clients.communicate()[0])
        if set(answers) - {"200", "429"}:
            raise ValueError(f"the flood got these responses: {answers}")
        quiet += _read_for(read, seconds)
        ratios.append(_p95(times) / _p95(quiet))
        flooded += times
    return [
        Figure("flood_p95_over_quiet", max(ratios), "x", "<= 2", len(flooded)),
        Figure("flood_p95_ms", _p95(flooded), "ms", "", len(flooded), spread(flooded)),
        Figure("flood_quiet_p95_ms", _p95(quiet), "ms", "", len(quiet), spread(quiet)),
    ]


def _read_for(read: Callable[[], float], seconds: float) -> list[float]:
    times: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times) < FEWEST_PAGES:
        times.append(read())
        time.sleep(THINKING_SECONDS)
    return times


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def main() -> None:
    """Flood a site on this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--many", action="store_true", help="an address for each client")
    options = parser.parse_args()
    answers = flood(options.port, options.seconds, many_addresses=options.many)
    print(json.dumps(asyncio.run(answers)))


if __name__ == "__main__":
    main()
