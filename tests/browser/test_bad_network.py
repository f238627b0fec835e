"""Over a bad network a page says in the end what the database does: nothing lost or doubled."""

import pytest
from playwright.sync_api import Page, expect

from functions.models import Implementation
from runner.models import Result
from tests.browser.conftest import SignIn
from tests.support.browser.bad_network import Proxy
from tests.support.site import Site, becomes_quiet
from tests.support.works import define, draft_implementation, publish_test

TESTS = 6
LINES = 40
CODE = f"""
import time

def Rough(number):
    for line in range({LINES}):
        print(number, line)
        time.sleep(0.05)
    return number % 2
"""
# A pause is drawn between 0 and its bound; so nearly all of them are short.
HASTY = "Math.random = () => 0.02"
LINES_OF_PAGE = """
lines => lines.map(line => [line.dataset.line, line.querySelector('.log-text').textContent])
"""
SQUARES_OF_PAGE = """
squares => squares.map(square => [square.pathname.split('/')[2], square.dataset.state])
"""


@pytest.fixture
def draft(live_site: Site) -> Implementation:
    """Start an implementation that prints for a while, with tests of which every second passes."""
    function = define("Rough")
    for number in range(TESTS):
        publish_test(function, f"def test_{number}():\n    assert Rough({number})\n")
    assert becomes_quiet()
    return draft_implementation(function, CODE, author="nora")


def test_cut_refused_and_polling_connections_lose_and_double_nothing(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    with Proxy(live_site.port) as proxy:
        page = as_person("nora")
        page.add_init_script(HASTY)
        page.goto(f"{proxy.url}/drafts/implementation/{draft.pk}/")
        pill = page.locator("#results .conn")
        expect(pill).to_have_text("Live")
        page.get_by_role("button", name="Run draft").click()
        expect(page.locator("#log .log-line[data-kind=log]")).not_to_have_count(0)
        for _ in range(3):
            proxy.cut()
            page.wait_for_timeout(300)
        proxy.lets_sockets_through = False
        proxy.cut()
        expect(pill).to_have_text("Live, by polling")
        assert proxy.refused >= 3
        proxy.cut()
        page.wait_for_timeout(500)
        proxy.lets_sockets_through = True
        expect(pill).to_have_text("Live")
        proxy.cut()
        expect(page.locator("[data-progress]")).to_contain_text(f"3 of {TESTS} passed")
        says_what_the_database_does(page)


def says_what_the_database_does(page: Page) -> None:
    written: dict[str, str] = {}
    verdicts: dict[str, str] = {}
    for result in Result.objects.select_related("execution"):
        key = bytes(result.execution.key).hex()
        verdicts[key] = result.verdict
        for number, (_ms, _stream, text) in enumerate(result.log):
            written[f"{key}:{result.attempt}:{number}"] = text
    assert len(written) == TESTS * LINES
    lines = page.locator("#log .log-line[data-kind=log]").evaluate_all(LINES_OF_PAGE)
    assert len(lines) == len(written)
    assert dict(lines) == written
    for key in verdicts:
        numbers = [int(name.split(":")[2]) for name, _ in lines if name.startswith(key)]
        assert numbers == sorted(numbers)
    squares = page.locator("#results .quilt .sq").evaluate_all(SQUARES_OF_PAGE)
    assert len(squares) == TESTS
    by_short_key = {key[:16]: verdict for key, verdict in verdicts.items()}
    assert dict(squares) == {
        key: "passed" if by_short_key[key] == "passed" else "failed" for key, _ in squares
    }
    endings = page.locator("#log .log-line[data-line$=':end'][data-of]").evaluate_all(LINES_OF_PAGE)
    assert len(endings) == len({name for name, _ in endings})
