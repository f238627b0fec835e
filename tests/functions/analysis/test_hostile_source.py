"""Source that is hard to read, sent to a running site: it costs its sender, and nobody else."""

import json
import os
import signal
import statistics
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from functools import partial
from typing import Any

import pytest

from chaos.processes import descendants
from functions.models import Implementation
from socialcode.accounts.tokens import create_token
from tests.patience import PATIENCE_SECONDS
from tests.support import builders as make
from tests.support.site import Site

PUBLICATIONS = 7
HOSTILE = 14
ORDINARY = "def Add(a, b):\n    total = a + b\n    return total\n"
# What our own rewriting and Python's compiler take seconds for, each in another way.
MANAGERS = "with " + ", ".join(["a"] * 800) + ": pass\n"
ASSERTS = "assert x.y(1) == 1 and z[0] < 2\n" * 3_000
DEEP = {
    "brackets": "x = " + "[" * 30_000,
    "signs": "x = " + "-" * 90_000 + "1\n",
    "attributes": "x = a" + ".b" * 45_000 + "\n",
    "calls": "x = a" + "()" * 45_000 + "\n",
    "lambdas": "x = " + "lambda: " * 12_000 + "1\n",
    "conditions": "x = " + "1 if 2 else " * 8_000 + "3\n",
    "elifs": "if a:\n b\n" + "elif a:\n b\n" * 9_000,
}


class Author:
    """Somebody with a token, who has drafts of a function."""

    def __init__(self, site: Site, name: str) -> None:
        self.user = make.user(name)
        self._site = site
        self._headers = {
            "Authorization": f"Bearer {create_token(user=self.user)[1]}",
            "Content-Type": "application/json",
        }

    def draft(self, code: str) -> Implementation:
        return make.implementation(
            make.function(owner=self.user), author=self.user, code=code, state="draft"
        )

    def post(self, path: str, body: Any = None) -> tuple[int, Any, Message]:
        """Return status, answer and headers."""
        content = json.dumps(body or {}).encode()
        request = urllib.request.Request(f"{self._site.url}{path}", content, self._headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return answer.status, json.load(answer), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error), error.headers

    def publish(self, draft: Implementation) -> tuple[int, Any, Message]:
        return self.post(f"/api/v1/implementations/{draft.pk}/publish/")


@pytest.fixture
def site(transactional_db: None, site_processes: Site) -> Site:
    """No workers: nothing of this is to be run."""
    site_processes.complete(workers=0)
    return site_processes


def seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def median_publication(author: Author) -> float:
    """Return how long it takes to publish something that nobody has published before."""
    drafts = [author.draft(f"{ORDINARY}# {time.perf_counter_ns()}\n") for _ in range(PUBLICATIONS)]
    return statistics.median(seconds(partial(_published, author, draft)) for draft in drafts)


def _published(author: Author, draft: Implementation) -> None:
    status, answer, _ = author.publish(draft)
    assert status == 202, answer


def test_fourteen_hostile_sources_at_once_delay_nobody_elses_publication(site: Site) -> None:
    mira = Author(site, "mira")
    others = [Author(site, f"hostile{number}") for number in range(HOSTILE)]
    drafts = [other.draft(f"# {other.user}\n{ASSERTS}") for other in others]
    median_publication(mira)
    quiet = median_publication(mira)
    with ThreadPoolExecutor(HOSTILE) as threads:
        sent = [threads.submit(a.publish, d) for a, d in zip(others, drafts, strict=True)]
        time.sleep(0.3)
        beside = median_publication(mira)
        page = seconds(lambda: urllib.request.urlopen(f"{site.url}/", timeout=60).close())
        assert not all(one.done() for one in sent), "they were no burden"
        answers = [one.result() for one in sent]
    assert beside < 10 * quiet + 0.2, (quiet, beside)
    assert page < 10 * quiet + 1
    codes = {(status, answer.get("code")) for status, answer, _ in answers}
    assert codes <= {(422, "check_time_limit"), (503, "checks_busy")}, codes
    # Nothing that was typed is lost.
    for draft in drafts:
        assert Implementation.objects.get(pk=draft.pk, state="draft").code == draft.code


def test_who_sends_much_that_is_slow_is_told_to_wait_and_others_are_not(site: Site) -> None:
    mallory, mira = Author(site, "mallory"), Author(site, "mira")
    drafts = [mallory.draft(f"# {number}\n{ASSERTS}") for number in range(24)]
    with ThreadPoolExecutor(len(drafts)) as threads:
        sent = [threads.submit(mallory.publish, draft) for draft in drafts]
        time.sleep(0.3)
        median_publication(mira)
        answers = [one.result() for one in sent]
    assert {status for status, *_ in answers} <= {422, 429, 503}
    refused = [headers for status, _, headers in answers if status == 429]
    assert refused
    assert all(headers["Retry-After"] for headers in refused)


def test_hundreds_of_context_managers_are_refused_at_once(site: Site) -> None:
    mira = Author(site, "mira")
    status, answer, _ = mira.publish(mira.draft(MANAGERS))
    assert (status, answer["code"]) == (422, "syntax_error")
    assert "too many statically nested blocks" in answer["detail"]


@pytest.mark.parametrize("name", DEEP)
def test_what_is_nested_beyond_reason_is_refused_and_the_next_is_published(
    site: Site, name: str
) -> None:
    mira = Author(site, "mira")
    status, answer, _ = mira.publish(mira.draft(DEEP[name]))
    codes = ("syntax_error", "check_crashed", "check_time_limit", "check_memory_limit")
    assert (status, answer["code"] in codes) == (422, True), answer
    _published(mira, mira.draft(ORDINARY))


def test_a_source_as_long_as_may_be_is_published(site: Site) -> None:
    mira = Author(site, "mira")
    line = "def function_{}(argument):\n    return [argument, argument + 1, 'a text']\n"
    code = "".join(line.format(number) for number in range(1_370))
    assert 95_000 < len(code) < 102_400
    _published(mira, mira.draft(code))


def test_checks_that_are_killed_are_done_again_and_checkers_that_are_away_come_back(
    site: Site,
) -> None:
    mira = Author(site, "mira")
    assert site.callers is not None
    for child in reversed(descendants(site.callers.pid)):
        os.kill(child.pid, signal.SIGKILL)
    _published(mira, mira.draft(ORDINARY))
    site.callers.kill()
    site.callers.wait()
    draft = mira.draft(f"{ORDINARY}# again\n")
    status, answer, headers = mira.publish(draft)
    assert (status, answer["code"]) == (503, "checks_away")
    assert headers["Retry-After"]
    assert Implementation.objects.get(pk=draft.pk, state="draft").code == draft.code
    site.start_callers()
    _published(mira, draft)


def test_an_import_and_arguments_that_are_hostile_are_refused_too(site: Site) -> None:
    mira = Author(site, "mira")
    status, answer, _ = mira.post("/api/v1/imports/preview/", {"module": DEEP["attributes"]})
    assert (status, answer["code"]) == (422, "syntax_error"), answer
    module = "\n".join(f"def f{n}():\n    return f{n + 1}()\n" for n in range(2_500))
    status, answer, _ = mira.post("/api/v1/imports/preview/", {"module": module})
    assert (status, answer["code"]) in {
        (422, "check_time_limit"),
        (422, "too_large"),
        (503, "checks_busy"),
    }, answer
