"""Trying a function in a browser: on its page, by a link, and without scripts."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SignIn
from tests.support.callers import implemented
from tests.support.site import Site

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("java_script_enabled", [True, False])
def test_a_call_shows_its_value_and_a_link_that_carries_the_arguments(
    live_site: Site, as_person: SignIn, java_script_enabled: bool
) -> None:
    live_site.start_callers()
    implemented("Pair", "def Pair(a, b):\n    print('hello', a)\n    return a, b\n")
    page = as_person("mira", java_script_enabled=java_script_enabled)
    page.goto(f"{live_site.url}/functions/Pair/?args=1%2C%20'x'")
    arguments = page.get_by_label("Arguments")
    expect(arguments).to_have_value("1, 'x'")
    expect(page.locator("[data-try-result]")).to_have_text("")
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_label("Link", exact=True)).to_have_value(f"{live_site.url}/functions/Pair/")
    carrying = page.get_by_label("With what is typed")
    expect(carrying).to_have_value(re.compile(r"/Pair/\?args=1%2C%20('|%27)x('|%27)#try$"))
    page.locator("#share").get_by_role("button", name="Close").click()
    if java_script_enabled:
        arguments.press("Enter")
    else:
        page.get_by_role("button", name="Call").click()
    expect(page.locator(".try-value")).to_have_text("(1, 'x')")
    expect(page.locator("[data-try-result] .log-text")).to_have_text("hello 1")
    assert page.url.endswith("%27x%27" if java_script_enabled else "/Pair/try/")
    arguments.fill("1,\n oops")
    page.get_by_role("button", name="Call").click()
    expect(page.locator("[data-try-result]")).to_contain_text(
        "Line 2, column 2: `oops` is not a literal."
    )
    expect(page.locator(".try-value")).to_have_count(0)
    arguments.fill("[true], b=null")
    page.get_by_role("button", name="Call").click()
    expect(page.locator(".try-value")).to_have_text("([True], None)")
    page.get_by_role("link", name="Link to these arguments").click()
    expect(page.get_by_label("Arguments")).to_have_value("[true], b=null")
