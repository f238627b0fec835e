"""One person watches a function's page while others work on it; it ends as a reloaded one."""

import contextlib
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from functions import runs
from functions.authoring.withdrawal import withdraw
from functions.errors import Refusal
from functions.models import Function, Implementation, Test, Work
from functions.moderation.acceptability import judge_work
from tests.browser.conftest import SignIn
from tests.support.browser.page_state import becomes_like_reloaded
from tests.support.site import Site, becomes_quiet
from tests.support.works import account, constant, define, implement, publish_test, vote

ACTS_PER_SEQUENCE = 8


def watch(live_site: Site, page: Page, name: str) -> Page:
    page.goto(f"{live_site.url}/functions/{name}/")
    expect(page.locator("#results-panel .conn")).to_have_text("Live")
    return page


def is_as_reloaded(page: Page) -> None:
    assert becomes_quiet()
    other = page.context.new_page()
    try:
        assert becomes_like_reloaded(page, other) == ""
    finally:
        other.close()


def test_an_owner_watches_the_first_test_and_implementation_arrive(
    live_site: Site, as_person: SignIn
) -> None:
    function = define("First")
    page = watch(live_site, as_person("olga"), "First")
    expect(page.locator("#results-panel")).to_contain_text("Nothing to show yet")
    publish_test(function, "assert First() == 1", author="tess")
    expect(page.locator("[data-show=test]")).to_have_text("1 new test, show")
    expect(page.locator("#h-tests .num")).to_have_text("1")
    live_site.pause_workers()
    implement(function, constant("First", 1))
    square = page.locator(".quilt .sq")
    expect(square).to_have_attribute("data-state", "pending")
    live_site.resume_workers()
    expect(square).to_have_attribute("data-state", "passed")
    expect(page.locator("tr[data-current]")).to_contain_text("#1")
    expect(page.locator("[data-live-status]")).to_have_text("Implemented")
    expect(page.locator("#about")).to_contain_text("1 implementation")
    expect(page.locator("[data-show=implementation]")).to_have_text("1 new implementation, show")
    expect(page.locator(".card")).to_have_count(0)
    is_as_reloaded(page)
    expect(page.locator("#I1[data-current]")).to_be_visible()


def test_a_failing_test_arrives_and_leaves_again(live_site: Site, as_person: SignIn) -> None:
    function = define("Column")
    publish_test(function, "assert Column() == 1")
    implement(function, constant("Column", 1))
    assert becomes_quiet()
    page = watch(live_site, as_person(), "Column")
    expect(page.locator("[data-progress]")).to_have_text("1 of 1 passed")
    failing = publish_test(function, "assert Column() == 2")
    expect(page.locator(".quilt thead [data-test]")).to_have_count(2)
    expect(page.locator("[data-live-status]")).to_have_text("Not implemented")
    expect(page.locator("[data-progress]")).to_have_text("1 of 2 passed")
    withdraw(actor=failing.author, work=failing)
    expect(page.locator(".quilt thead [data-test]")).to_have_count(1)
    expect(page.locator("[data-live-status]")).to_have_text("Implemented")
    is_as_reloaded(page)


def test_a_run_again_shows_the_last_verdicts_until_there_are_new_ones(
    live_site: Site, as_person: SignIn
) -> None:
    function = define("Again")
    publish_test(function, "assert Again() == 1")
    implement(function, constant("Again", 1))
    implement(function, constant("Again", 2), author="iris")
    assert becomes_quiet()
    page = watch(live_site, as_person(), "Again")
    live_site.pause_workers()
    runs.run_function_again(actor=account("olga"), function=function)
    passed = page.locator("tr[data-current] .sq")
    failed = page.locator("tr:not([data-current]) .sq[data-cell]")
    for square, former in ((passed, "passed"), (failed, "failed")):
        expect(square).to_have_attribute("data-state", "pending")
        expect(square).to_have_attribute("data-was", former)
        expect(square).to_have_attribute("title", re.compile(f": pending, was {former}$"))
    other = page.context.new_page()
    assert becomes_like_reloaded(page, other) == ""
    live_site.resume_workers()
    expect(passed).to_have_attribute("data-state", "passed")
    expect(failed).to_have_attribute("data-state", "failed")
    expect(page.locator(".quilt [data-was]")).to_have_count(0)
    is_as_reloaded(page)


def test_a_dependency_that_appears_breaks_and_is_repaired_changes_those_that_use_it(
    live_site: Site, as_person: SignIn
) -> None:
    outer = define("Outer")
    publish_test(outer, "assert Outer() == 2")
    implement(outer, "# <<Inner>>\ndef Outer():\n    return Inner() + 1\n")
    assert becomes_quiet()
    page = watch(live_site, as_person(), "Outer")
    status, link = page.locator("[data-live-status]"), page.locator(".deps ul a", has_text="Inner")
    expect(link).to_have_attribute("data-status", "missing")
    expect(page.locator("#I1 .note")).to_be_visible()
    inner = define("Inner")
    expect(link).to_have_attribute("data-status", "unimplemented")
    watched = watch(live_site, page.context.new_page(), "Inner")
    first = implement(inner, constant("Inner", 1))
    expect(link).to_have_attribute("data-status", "implemented")
    expect(status).to_have_text("Implemented")
    expect(watched.locator(".deps")).to_contain_text("Outer")
    withdraw(actor=first.author, work=first)
    expect(status).to_have_text("Broken dependency")
    implement(inner, constant("Inner", 1), author="iris")
    expect(status).to_have_text("Implemented")
    for each in (page, watched):
        is_as_reloaded(each)
    expect(page.locator("#I1 .note")).to_have_count(0)


@dataclass
class Others:
    """Acts of other people on a function that calls another one, which doesn't exist at first."""

    random: random.Random
    function: Function
    number: int = 0

    def act(self) -> None:
        acts: list[Callable[[], object]] = [
            self.publish_implementation,
            self.publish_test,
            self.use_missing_name,
            self.vote,
            self.judge,
            self.withdraw,
            self.define_or_implement_missing_name,
            self.run_again,
        ]
        act = self.random.choice(acts)
        self.number += 1
        with contextlib.suppress(Refusal):
            act()

    def publish_implementation(self) -> None:
        value = self.random.randrange(3)
        code = f"# {self.number}\n{constant('Watched', value)}"
        implement(self.function, code, author=f"author{self.number}")

    def publish_test(self) -> None:
        value = self.random.randrange(3)
        author = self.random.choice(["olga", "tess"])
        publish_test(self.function, f"assert Watched() >= {value}  # {self.number}", author=author)

    def use_missing_name(self) -> None:
        code = f"# <<Wanted>> {self.number}\ndef Watched():\n    return Wanted()\n"
        implement(self.function, code, author=f"author{self.number}")

    def vote(self) -> None:
        if work := self._work():
            voter = f"voter{self.number}"
            vote(work, up=voter) if self.random.random() < 0.6 else vote(work, down=voter)

    def judge(self) -> None:
        if work := self._work():
            verdict = self.random.choice([True, False, None])
            reason = "" if verdict is not False else "It is wrong."
            judge_work(actor=account("olga"), work=work, acceptable=verdict, reason=reason)

    def withdraw(self) -> None:
        if work := self._work():
            withdraw(actor=work.author, work=work)

    def define_or_implement_missing_name(self) -> None:
        wanted = Function.objects.filter(name="Wanted").first()
        if wanted is None:
            define("Wanted", owner="wes")
        else:
            value = self.random.randrange(3)
            code = f"# {self.number}\n{constant('Wanted', value)}"
            implement(wanted, code, author=f"author{self.number}")

    def run_again(self) -> None:
        if Implementation.objects.filter(function=self.function, state=Work.State.PUBLISHED):
            runs.run_function_again(actor=account("olga"), function=self.function)

    def _work(self) -> Implementation | Test | None:
        """Return any published work of the function."""
        published = {"function": self.function, "state": Work.State.PUBLISHED}
        works: list[Implementation | Test] = [
            *Implementation.objects.filter(**published),
            *Test.objects.filter(**published),
        ]
        return self.random.choice(works) if works else None


@pytest.mark.parametrize(("seed", "locale"), [(0, "en-US"), (1, "de-DE"), (2, "en-US")])
def test_a_watched_page_equals_a_reloaded_one_after_any_acts(
    live_site: Site, as_person: SignIn, seed: int, locale: str
) -> None:
    others = Others(random.Random(seed), define("Watched"))  # noqa: S311 - repeatable
    publish_test(others.function, "assert Watched() >= 0")
    page = watch(live_site, as_person("nora", locale=locale), "Watched")
    for _ in range(ACTS_PER_SEQUENCE):
        others.act()
        if others.random.random() < 0.5:
            is_as_reloaded(page)
    is_as_reloaded(page)
