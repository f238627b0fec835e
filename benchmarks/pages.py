"""Pages of a large site: a hundred thousand functions, four readers, a realistic mix of pages."""

from __future__ import annotations

import argparse
import http.client
import os
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import quote, urlencode

import psycopg

from benchmarks import flood
from benchmarks.page_rows import LARGE_NAME, PEOPLE, fill
from benchmarks.report import Figure, report, spread
from benchmarks.site import HOST, PrivateSite
from socialcode.web import listen

FUNCTIONS, QUICK_FUNCTIONS = 100_000, 2_000
SECONDS, QUICK_SECONDS = 120.0, 20.0
FLOOD_SECONDS, QUICK_FLOOD_SECONDS = 15.0, 5.0
LARGE_RUNS, QUICK_LARGE_RUNS = 40, 10
WARM_UP = 3
READERS = 4
THINKING_SECONDS = 1.0
READER = "reader"
BARE_SERVER = "from benchmarks import bare_view; bare_view.serve({handle})"
SEARCHES = (
    *("sorted list", "number", "greatest common", "distance matrix", "the sum of digits"),
    *("author:{person}", "uses:{name}", "used-by:{name}", "needs:tests", "code:append(item"),
    *("needs:implementation prime", "author:{person} text", "list[int]", "rota", "{name}"),
)


@dataclass(slots=True)
class Samples:
    """Measured times by kind of page, and of the bare view."""

    large_ms: list[float] = field(default_factory=list)
    large_bytes: int = 0
    pages_ms: dict[str, list[float]] = field(default_factory=dict)
    bare_ms: list[float] = field(default_factory=list)

    def all_ms(self) -> list[float]:
        return [ms for of_kind in self.pages_ms.values() for ms in of_kind]


class Visitor:
    """A browser with a persistent connection and cookies."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=60)
        self.cookies: dict[str, str] = {}

    def get(self, path: str) -> tuple[float, bytes]:
        """Return the milliseconds until a page is complete, and its content."""
        return self.ask("GET", path, None)

    def sign_in(self, username: str, password: str) -> None:
        """Sign in by the form. Raises ValueError if it fails."""
        self.get("/accounts/login/")
        form = {
            "login": username,
            "username": username,
            "password": password,
            "csrfmiddlewaretoken": self.cookies["csrftoken"],
        }
        self.ask("POST", "/accounts/login/", urlencode(form))
        if "sessionid" not in self.cookies:
            raise ValueError("signing in failed")

    def ask(self, method: str, path: str, body: str | None) -> tuple[float, bytes]:
        """Return the milliseconds until the response is complete, and its body."""
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
        }
        started = time.perf_counter()
        try:
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
        except (http.client.HTTPException, ConnectionError):  # an idle connection was closed
            self._connection.close()
            started = time.perf_counter()
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
        answer = response.read()
        elapsed_ms = (time.perf_counter() - started) * 1_000
        if response.status >= http.client.BAD_REQUEST:
            raise ValueError(f"{path}: {response.status}")
        for header in response.headers.get_all("Set-Cookie") or ():
            morsels = SimpleCookie(header).values()
            self.cookies.update({morsel.key: morsel.value for morsel in morsels})
        return elapsed_ms, answer


@dataclass(frozen=True, slots=True)
class Library:
    """The pages that can be visited."""

    names: Sequence[str]
    people: Sequence[str]

    def visits(self, chance: random.Random) -> Iterator[tuple[str, str]]:
        """Yield (kind of page, address) endlessly."""
        kinds: list[tuple[int, str, Callable[[], str]]] = [
            (25, "function", lambda: f"/functions/{self._name(chance)}/"),
            (20, "search", lambda: f"/?q={quote(self._search(chance))}"),
            (15, "browse", lambda: chance.choice(BROWSING)),
            (8, "person", lambda: f"/people/{quote(chance.choice(self.people))}/"),
            (6, "runs", lambda: chance.choice(("/runs/", "/runs/?state=complete"))),
            (4, "run", lambda: f"/runs/{chance.randrange(len(self.names)) + 1}/"),
            (2, "wanted", lambda: "/wanted/"),
            (8, "API list", lambda: f"/api/v1/functions/?q={quote(self._search(chance))}"),
            (6, "API function", lambda: f"/api/v1/functions/{self._name(chance)}/"),
            (3, "API batches", lambda: "/api/v1/batches/?limit=50"),
            (3, "API tasks", lambda: "/api/v1/tasks/?limit=50"),
        ]
        while True:
            ((_, kind, address),) = chance.choices(kinds, [weight for weight, _, _ in kinds])
            yield kind, address()

    def _name(self, chance: random.Random) -> str:
        # A few functions are visited far more often than the others.
        return self.names[int(len(self.names) * chance.random() ** 4)]

    def _search(self, chance: random.Random) -> str:
        wanted = chance.choice(SEARCHES)
        return wanted.format(person=chance.choice(self.people), name=self._name(chance))


BROWSING = ("/", "/?status=needs_help", "/?sort=changed", "/?sort=used", "/?status=implemented")


def bare_port(site: PrivateSite) -> int:
    """Start the server of the bare view; return its port."""
    with listen(HOST, 0) as listener:
        handle = listener.fileno()
        site.start("bare", "-c", BARE_SERVER.format(handle=handle), pass_fds=(handle,))
        port: int = listener.getsockname()[1]
        return port


def sign_up(site: PrivateSite) -> Visitor:
    """Return a visitor with a new account."""
    visitor = Visitor(site.port)
    visitor.get("/accounts/signup/")
    password = os.urandom(12).hex()
    form = {"username": READER, "password1": password, "password2": password}
    form["csrfmiddlewaretoken"] = visitor.cookies["csrftoken"]
    visitor.ask("POST", "/accounts/signup/", urlencode(form))
    if "sessionid" not in visitor.cookies:
        visitor.sign_in(READER, password)
    return visitor


def measure_large(visitor: Visitor, bare: Visitor, samples: Samples, runs: int) -> None:
    """Measure the page of the largest function, in turn with the bare view."""
    for number in range(WARM_UP + runs):
        elapsed_ms, page = visitor.get(f"/functions/{LARGE_NAME}/")
        bare_ms, _ = bare.get("/1/")
        if number >= WARM_UP:
            samples.large_ms.append(elapsed_ms)
            samples.bare_ms.append(bare_ms)
        samples.large_bytes = len(page)


def read_about(
    site: PrivateSite, bare: int, library: Library, samples: Samples, *, number: int, until: float
) -> None:
    """Act as a reader: request a page and the bare view, then pause for a second."""
    chance = random.Random(number)
    visitor, plain = Visitor(site.port), Visitor(bare)
    for kind, address in library.visits(chance):
        time.sleep(THINKING_SECONDS * chance.uniform(0.5, 1.5))
        if time.monotonic() > until:
            return
        elapsed_ms, _ = visitor.get(address)
        samples.pages_ms.setdefault(kind, []).append(elapsed_ms)
        bare_ms, _ = plain.get(f"/{chance.randrange(len(library.names)) + 1}/")
        samples.bare_ms.append(bare_ms)


def count_queries(site: PrivateSite, sessionid: str) -> int:
    """Return the number of queries of the large page for a signed-in user."""
    counting = "from benchmarks import bare_view; bare_view.count_queries({!r}, {!r})"
    words = counting.format(f"/functions/{LARGE_NAME}/", sessionid)
    return int(site.ask("-c", words))


def figures(samples: Samples, queries: int, filled_seconds: float) -> list[Figure]:
    """Return the figures."""
    mix = samples.all_ms()
    p95 = _p95(mix)
    each = [
        Figure(f"{kind.replace(' ', '_')}_p95_ms", _p95(of_kind), "ms", "", len(of_kind))
        for kind, of_kind in sorted(samples.pages_ms.items())
        if len(of_kind) > 1
    ]
    large_ms = statistics.median(samples.large_ms)
    bare_ms = statistics.median(samples.bare_ms)
    runs = len(samples.large_ms)
    return [
        Figure("function_page_ms", large_ms, "ms", "<= 80", runs, spread(samples.large_ms)),
        Figure("function_page_queries", queries, "queries", "<= 15"),
        Figure("mix_p95_ms", p95, "ms", "<= 200", len(mix)),
        Figure("mix_median_ms", statistics.median(mix), "ms", "", len(mix), spread(mix)),
        *each,
        Figure("bare_view_ms", bare_ms, "ms", "", len(samples.bare_ms), spread(samples.bare_ms)),
        Figure("bare_view_p95_ms", _p95(samples.bare_ms), "ms", "", len(samples.bare_ms)),
        Figure("function_page_over_bare", large_ms / bare_ms, "x", "", runs),
        Figure("mix_p95_over_bare", p95 / bare_ms, "x", "", len(mix)),
        Figure("function_page_kb", samples.large_bytes / 1_000, "kB"),
        Figure("filled_seconds", filled_seconds, "s", "<= 300"),
    ]


def _p95(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_FUNCTIONS} functions only")
    is_quick = parser.parse_args().quick
    samples = Samples()
    with (
        PrivateSite(workers=0, limits=True) as site,
        psycopg.connect(site.database_url, autocommit=True) as database,
    ):
        started = time.monotonic()
        fill(database, QUICK_FUNCTIONS if is_quick else FUNCTIONS)
        filled_seconds = time.monotonic() - started
        names = database.execute("select name from functions_function order by id").fetchall()
        people = database.execute(
            "select username from auth_user order by id limit %s", [PEOPLE]
        ).fetchall()
        library = Library([name for (name,) in names], [name for (name,) in people])
        bare = bare_port(site)
        reader = sign_up(site)
        measure_large(reader, Visitor(bare), samples, QUICK_LARGE_RUNS if is_quick else LARGE_RUNS)
        until = time.monotonic() + (QUICK_SECONDS if is_quick else SECONDS)
        readers = [
            threading.Thread(
                target=read_about,
                args=(site, bare, library, samples),
                kwargs={"number": number, "until": until},
            )
            for number in range(READERS)
        ]
        for thread in readers:
            thread.start()
        for thread in readers:
            thread.join()
        queries = count_queries(site, reader.cookies["sessionid"])
        flooded = flood.measure(
            site.port,
            lambda: reader.get(f"/functions/{LARGE_NAME}/")[0],
            QUICK_FLOOD_SECONDS if is_quick else FLOOD_SECONDS,
        )
    judged = [*figures(samples, queries, filled_seconds), *flooded]
    return 0 if report("pages", judged) else 1


if __name__ == "__main__":
    sys.exit(main())
