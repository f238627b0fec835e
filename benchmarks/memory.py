"""Memory of each process of a site: at rest, at its highest in floods, and afterwards."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import psycopg

from benchmarks.page_rows import LARGE_NAME, fill
from benchmarks.report import Figure, report
from benchmarks.site import HOST, PrivateSite

FUNCTIONS = 2_000
SECONDS, QUICK_SECONDS = 20.0, 5.0
CALM_SECONDS = 5.0
BODY_BYTES = 2_000_000
MB = 1024 * 1024
CODE = "def {name}(n):\n    return [str(i) for i in range(n)]\n"
# The web process had 520 MB after a flood when requests had no limit at once.
MOST_WEB_MB = 300


@dataclass(frozen=True, slots=True)
class Flood:
    """Clients that send a request again and again; some never read the response."""

    name: str
    clients: int
    request: Callable[[str], bytes]
    reads: bool = True


def _get(path: str) -> Callable[[str], bytes]:
    return lambda host: f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()


def _post(path: str, body: str) -> Callable[[str], bytes]:
    def request(host: str) -> bytes:
        token = secrets.token_hex(16)  # any value is valid, if cookie and field are equal
        form = urlencode({"csrfmiddlewaretoken": token, "username": token, "password": "x"}) + body
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            f"Cookie: csrftoken={token}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(form)}\r\n\r\n"
        )
        return (head + form).encode()

    return request


FLOODS = (
    Flood("sign-ins", 400, _post("/accounts/login/", "")),
    Flood("large pages", 400, _get(f"/functions/{LARGE_NAME}/")),
    Flood("lists", 400, _get("/api/v1/functions/?limit=100")),
    Flood("searches", 400, _get("/?q=sorted+list")),
    Flood("large forms", 200, _post("/import/", "&code=" + "a" * BODY_BYTES)),
    Flood("unread pages", 1000, _get(f"/functions/{LARGE_NAME}/"), reads=False),
)


class _Crowd:
    """The clients of a flood, each with an address of its own."""

    def __init__(self, flood: Flood, port: int, end: float) -> None:
        self._flood, self._port, self._end = flood, port, end
        self.answers: Counter[str] = Counter()

    async def run(self) -> None:
        """Send until the end."""
        await asyncio.gather(*(self._client(number) for number in range(self._flood.clients)))

    async def _client(self, number: int) -> None:
        address = f"127.1.{number // 250}.{number % 250 + 1}"
        while time.monotonic() < self._end:
            try:
                async with asyncio.timeout(60):
                    await self._talk(address)
            except (OSError, EOFError, TimeoutError, ValueError) as error:
                self.answers[type(error).__name__] += 1
                await asyncio.sleep(0.1)

    async def _talk(self, address: str) -> None:
        reader, writer = await asyncio.open_connection(
            HOST, self._port, local_addr=(address, 0), limit=64 * 1024
        )
        try:
            while time.monotonic() < self._end:
                writer.write(self._flood.request(f"{HOST}:{self._port}"))
                if not self._flood.reads:
                    reader._transport.pause_reading()  # type: ignore[attr-defined]  # noqa: SLF001
                    await asyncio.sleep(max(0.0, self._end - time.monotonic()))
                    return
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                self.answers[head.split(b" ", 2)[1].decode()] += 1
                sizes = [line for line in head.split(b"\r\n") if line.startswith(b"content-length")]
                await reader.readexactly(int(sizes[0].partition(b":")[2]))
                if b"connection: close" in head:
                    return
        finally:
            writer.close()


def _family(pid: int) -> Iterator[int]:
    """Yield a process and all below it."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return
    for child in children:
        yield from _family(int(child))


def _memory_mb(pid: int) -> float:
    """Return what a process and its children have, shared pages divided among their users."""
    kilobytes = 0
    for one in _family(pid):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text("ascii").splitlines()
        except OSError:
            continue  # it has ended
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1024


def _table(site: PrivateSite) -> dict[str, float]:
    return {name: _memory_mb(pid) for name, pid in site.pids.items()}


async def _flood(flood: Flood, site: PrivateSite, seconds: float, peaks: dict[str, float]) -> None:
    crowd = _Crowd(flood, site.port, time.monotonic() + seconds)
    running = asyncio.create_task(crowd.run())
    while not running.done():
        for name, value in (await asyncio.to_thread(_table, site)).items():
            peaks[name] = max(peaks[name], value)
        await asyncio.wait([running], timeout=0.5)
    await running
    answers, web = dict(crowd.answers), round(peaks["web"])
    print(f"{flood.name}: {flood.clients} clients, {answers}; web {web} MB")


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter floods, in a minute")
    seconds = QUICK_SECONDS if parser.parse_args().quick else SECONDS
    with PrivateSite(workers=2, limits=True) as site:
        with psycopg.connect(site.database_url, autocommit=True) as database:
            fill(database, FUNCTIONS)
        site.api.page(f"/functions/{LARGE_NAME}/")
        time.sleep(CALM_SECONDS)
        rest = _table(site)
        peaks = dict(rest)
        for flood in FLOODS:
            asyncio.run(_flood(flood, site, seconds, peaks))
        time.sleep(CALM_SECONDS)
        after = _table(site)
    figures = [
        Figure(f"{name}_{moment}_mb", value[name], "MB", f"<= {MOST_WEB_MB}" if is_bound else "")
        for name in rest
        for moment, value in (("rest", rest), ("peak", peaks), ("after", after))
        for is_bound in [name == "web" and moment == "peak"]
    ]
    return 0 if report("memory", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
