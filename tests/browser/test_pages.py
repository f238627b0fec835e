"""Pages in a browser: previewed while they are written, and kept apart from the site."""

import pytest
from playwright.sync_api import BrowserContext, expect

from functions.authoring import define_function
from tests.browser.conftest import session_cookie
from tests.support.browser.editor import publish, write
from tests.support.site import Site, becomes_quiet
from tests.support.works import account, draft_implementation, implement

pytestmark = pytest.mark.slow

GREETING = "def Greeting(name):\n    return f'Hello, {name}'\n"
PAGE = """\
{# <<Greeting>> #}{% set data = {"said": Greeting(query.name or "you")} %}
<h1>{{ data.said }}</h1><p></p>
<form method="post" action="sent"><input name="text" value="typed"><button>Send</button></form>
<output>{{ form.text }}</output>
<script src="/p/client.js"></script>
<script>
  const say = (text) => document.querySelector("p").append(text + ". ");
  const attempt = (what, act) => { try { say(what + act()); } catch { say("no " + what); } };
  say(origin);
  attempt("cookies", () => document.cookie);
  attempt("storage", () => localStorage.length);
  attempt("parent", () => (parent === window ? missing : parent.document.title));
  fetch("/", { credentials: "include" }).then(() => say("site"), () => say("no site"));
  page.data("", { name: "Ada" }).then((data) => say(data.said));
</script>
"""


def test_a_page_is_previewed_while_it_is_written_and_reaches_nothing_but_itself(
    live_site: Site, context: BrowserContext
) -> None:
    implement(define_function(actor=account("ana"), name="Greeting"), GREETING, author="ana")
    site = define_function(actor=account("ana"), name="Site", kind="page")
    draft = draft_implementation(site, "<h1>{{ 1 / 0 }}</h1>", author="ana")
    assert becomes_quiet()
    # Not `as_person`: what the page tries is noted in the console.
    context.add_cookies([session_cookie(account("ana"), live_site)])  # type: ignore[list-item]
    page = context.new_page()
    page.goto(f"{live_site.url}/drafts/implementation/{draft.pk}/")
    preview = page.frame_locator("[data-preview-frame]")
    expect(preview.locator("mark")).to_have_text("1  <h1>{{ 1 / 0 }}</h1>")
    write(page, PAGE)
    expect(preview.locator("h1")).to_have_text("Hello, you")
    apart = ("null.", "no cookies.", "no storage.", "no parent.", "no site.", "Hello, Ada.")
    for said in apart:
        expect(preview.locator("p")).to_contain_text(said)
    preview.get_by_role("button").click()
    expect(preview.locator("output")).to_have_text("typed")
    publish(page)
    page.wait_for_url("**/functions/Site/**")
    assert becomes_quiet()
    page.goto(f"{live_site.url}/p/Site/")
    for said in apart:
        expect(page.locator("p")).to_contain_text(said)
    page.get_by_role("button").click()
    expect(page.locator("output")).to_have_text("typed")
    assert page.url == f"{live_site.url}/p/Site/sent"
