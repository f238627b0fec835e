"""Paints, interactions and layout shifts of pages in Chromium, on a CPU slowed four times."""

from __future__ import annotations

import gzip
import http.client
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import psycopg
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.page_rows import LARGE_NAME, fill
from benchmarks.pages import bare_port
from benchmarks.report import Figure, report, spread
from benchmarks.site import HOST, PrivateSite
from tests.plugins.browser import ARGUMENTS, CHROMIUM

FUNCTIONS = 2_000
RUNS = 7
SLOWED = 4  # times
SETTLED_MS = 500
FEW, MANY = 50, 1_000  # implementations of one function
RUN_SECONDS = 60

# Observers that are installed before the page's own scripts.
OBSERVERS = """
window.felt = {painted: 0, shifted: 0, slowest: 0};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) felt.painted = entry.startTime;
}).observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) felt.shifted += entry.value;
}).observe({type: "layout-shift", buffered: true});
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) felt.slowest = Math.max(felt.slowest, entry.duration);
}).observe({type: "event", durationThreshold: 16, buffered: true});
"""
# Functions with one test and many implementations, each of which has passed it.
CROWDS = """
insert into functions_function
select (jsonb_populate_record(f, jsonb_build_object('id', %(id)s, 'name', %(name)s::text,
    'name_key', lower(%(name)s), 'elected_id', null, 'status', 'not_implemented',
    'last_implementation_number', %(count)s))).*
from functions_function f where name = %(large)s;
insert into functions_test
select (jsonb_populate_record(t, jsonb_build_object('id', %(id)s, 'function_id', %(id)s))).*
from functions_test t join functions_function f on f.id = t.function_id
where f.name = %(large)s and t.number = 1;
insert into functions_implementation
select (jsonb_populate_record(i, jsonb_build_object('id', %(id)s + n, 'function_id', %(id)s,
    'number', n, 'title', i.title || ' ' || n))).*
from functions_implementation i join functions_function f on f.id = i.function_id,
    generate_series(1, %(count)s) n
where f.name = %(large)s and i.number = 1;
insert into functions_cell
select (jsonb_populate_record(null::functions_cell, to_jsonb(c) || jsonb_build_object(
    'id', %(id)s + n, 'test_id', %(id)s,
    'implementation_id', %(id)s + n))).*
from (select * from functions_cell where verdict = 'passed' limit 1) c,
    generate_series(1, %(count)s) n;
insert into functions_usage (function_id, dependents) values (%(id)s, 0);
insert into runner_topic (id, name, epoch, first_seq, head_seq)
values (%(id)s, 'function:' || %(id)s, 1, 1, 0);
"""


def open_slowly(browser: Browser, address: str) -> Page:
    """Open an address with nothing in the cache, on a slow processor; wait until it is settled."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.add_init_script(OBSERVERS)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    page.goto(address)
    page.wait_for_timeout(SETTLED_MS)
    return page


def felt(page: Page, what: str) -> float:
    return float(page.evaluate(f"felt.{what}"))


def measure_paints(browser: Browser, addresses: dict[str, str]) -> dict[str, list[float]]:
    """Return the largest contentful paints of each address in ms; addresses take turns."""
    painted: dict[str, list[float]] = {name: [] for name in addresses}
    for _ in range(RUNS):
        for name, address in addresses.items():
            page = open_slowly(browser, address)
            painted[name].append(felt(page, "painted"))
            page.context.close()
    return painted


def press(page: Page, keys: Iterable[str]) -> None:
    for key in keys:
        page.keyboard.press(key)


def measure_keys(page: Page) -> list[float]:
    """Return the slowest response in ms of each kind of interaction with a function's page."""
    slowest = []
    acts: tuple[Callable[[Page], Any], ...] = (
        lambda page: press(page, "jjjjj"),
        lambda page: page.locator(".quilt .sq").nth(7).click(),
        lambda page: press(page, ["ArrowDown"] * 5),
        lambda page: page.locator("#results > summary").click(),
        lambda page: press(page, "?"),
    )
    page.wait_for_timeout(SETTLED_MS)
    for act in acts:
        page.evaluate("felt.slowest = 0")
        act(page)
        page.wait_for_timeout(SETTLED_MS)
        slowest.append(felt(page, "slowest"))
    return slowest


def compressed_kb(site: PrivateSite, page: Page, selector: str, attribute: str) -> float:
    """Return the compressed size of the files that these elements name, and that they import."""
    script = f"(all) => all.map((one) => one.{attribute})"
    named = page.locator(selector).evaluate_all(script)
    loaded = page.evaluate(
        "performance.getEntriesByType('resource').map((one) => one.name).filter((name) =>"
        " name.endsWith('.js'))"
    )
    wanted = {*named, *(loaded if attribute == "src" else [])}
    paths = {name.removeprefix(site.origin) for name in wanted}
    return sum(_gzipped(site, path) for path in paths) / 1_000


def _gzipped(site: PrivateSite, path: str) -> int:
    connection = http.client.HTTPConnection(HOST, site.port, timeout=30)
    connection.request("GET", path)
    content = connection.getresponse().read()
    connection.close()
    return len(gzip.compress(content, 6))


def watch_a_run(site: PrivateSite, browser: Browser) -> tuple[float, list[float]]:
    """Return how much the parts of a page move while its function is run and added to.

    Also return the slowest responses of the page, of an ordinary function.
    """
    api = site.api
    api.request("POST", "functions/", {"name": "Watched", "signature": "(n)", "description": ""})
    for number in range(6):
        _publish(
            site, "tests", f"def test_{number}():\n    log({number})\n    assert Watched(2) > 0"
        )
    for number in range(1, 4):
        _publish(site, "implementations", f"def Watched(n):\n    return n * {number}\n")
    _await_runs(site)
    page = open_slowly(browser, f"{site.origin}/functions/Watched/")
    page.locator(".conn[data-conn=live]").first.wait_for()
    page.evaluate("felt.shifted = 0")
    for number in range(4, 7):
        _publish(site, "implementations", f"def Watched(n):\n    return n * {number}\n")
    _publish(site, "tests", "def test_more():\n    assert Watched(3) > 3")
    _await_runs(site)
    page.wait_for_timeout(2 * SETTLED_MS)
    shifted = felt(page, "shifted")
    page.reload()
    slowest = measure_keys(page)
    page.context.close()
    return shifted, slowest


def _publish(site: PrivateSite, noun: str, code: str) -> None:
    work = site.api.request("POST", f"functions/Watched/{noun}/", {"code": code, "title": "one"})
    site.api.request("POST", f"{noun}/{work['id']}/publish/")


def _await_runs(site: PrivateSite) -> None:
    deadline = time.monotonic() + RUN_SECONDS
    while site.api.request("GET", "batches/?function=Watched&state=open")["items"]:
        if time.monotonic() > deadline:
            raise TimeoutError(f"runs don't end: {site.logs()}")
        time.sleep(0.2)


def main() -> int:
    """Measure; return 0 if all goals are met."""
    if CHROMIUM is None:
        sys.exit("Chromium is not installed: apt-get install chromium")
    with (
        PrivateSite(workers=2) as site,
        psycopg.connect(site.database_url, autocommit=True) as database,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        shifted, slowest = watch_a_run(site, browser)
        database.execute("truncate functions_function, runner_topic, runner_execution cascade")
        fill(database, FUNCTIONS)
        for place, count in enumerate((FEW, MANY), start=1):
            named = {"id": 10_000_000 * place, "name": f"Crowd{count}"}
            crowd = {**named, "large": LARGE_NAME, "count": count}
            psycopg.ClientCursor(database).execute(CROWDS, crowd)
        database.execute("vacuum analyze")
        bare = f"http://{HOST}:{bare_port(site)}/1/"
        addresses = {
            name: f"{site.origin}/functions/{name}/"
            for name in (LARGE_NAME, f"Crowd{FEW}", f"Crowd{MANY}")
        } | {"bare": bare, "home": f"{site.origin}/"}
        painted = measure_paints(browser, addresses)
        page = open_slowly(browser, addresses[LARGE_NAME])
        large = measure_keys(page)
        styles = compressed_kb(site, page, "link[rel=stylesheet]", "href")
        scripts = compressed_kb(site, page, "script[src]", "src")
        sizes = {
            name: _gzipped(site, address.removeprefix(site.origin)) / 1_000
            for name, address in addresses.items()
            if name != "bare"
        }
        browser.close()
    middle = {name: statistics.median(samples) for name, samples in painted.items()}
    few, many, cards = f"Crowd{FEW}", f"Crowd{MANY}", painted[f"Crowd{MANY}"]
    ratio = middle[many] / middle[few]
    figures = [
        Figure("lcp_ms", middle[LARGE_NAME], "ms", "< 1000", RUNS, spread(painted[LARGE_NAME])),
        Figure("home_lcp_ms", middle["home"], "ms", "< 1000", RUNS, spread(painted["home"])),
        Figure("bare_lcp_ms", middle["bare"], "ms", "", RUNS, spread(painted["bare"])),
        Figure("lcp_over_bare", middle[LARGE_NAME] / middle["bare"], "x", "", RUNS),
        Figure("cards_1000_over_50", ratio, "x", "<= 1.25", RUNS, spread(cards)),
        Figure("slowest_interaction_ms", max(slowest), "ms", "< 100", len(slowest)),
        Figure("large_slowest_interaction_ms", max(large), "ms", "", len(large)),
        Figure("cls_during_runs", shifted, "", "== 0"),
        Figure("function_page_compressed_kb", sizes[LARGE_NAME], "kB", "<= 120"),
        Figure("cards_1000_compressed_kb", sizes[many], "kB"),
        Figure("styles_and_scripts_compressed_kb", styles + scripts, "kB", "<= 60"),
    ]
    return 0 if report("browser", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
