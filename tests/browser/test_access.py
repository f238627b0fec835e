"""The main job without a mouse, without a script, on a phone; every page for everybody."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.urls import URLPattern, URLResolver, get_resolver
from playwright.sync_api import Locator, Page, expect

from functions.acceptance import publish_acceptance_test, start_acceptance_test
from functions.authoring import define_function, revise_function
from functions.collections.definition import Settings, create_collection
from functions.collections.items import add_item
from functions.document_templates.templates import create_template
from functions.document_views.ownership import create_view
from functions.models import Canary, Function, FunctionRevision
from functions.moderation.comments import reply_to, write_comment
from functions.previews import preview_publishing
from functions.views.page_visits import visit_url
from functions.views.pages import preview_url
from functions.webhooks.commands import create_webhook, ping
from runner.models import Batch
from tests.browser.conftest import SignIn
from tests.support.site import Site, becomes_quiet
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
)

MOST_TABS = 120
NINE = "def Nine():\n    return 9\n"
PHONE: Mapping[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
WIDTHS = (1280, 390)
# Addresses that are no pages: parts of pages, pictures, files, and those that only take a POST.
NO_PAGES = {
    *("pulse badge picture cards download explanation logout metrics watch vote copy".split()),
    *("withdraw judge language texts documentation document clear-profile".split()),
    *("run-function-again answer-offer edit-comment delete-comment hide-comment".split()),
    *("show-comment restore read-notifications run-draft check-draft format-draft".split()),
    *("publish-draft discard-draft run-acceptance-test publish-acceptance-test".split()),
    *("withdraw-acceptance-test discard-acceptance-test preview-draft preview-withdraw".split()),
    *("preview-judge preview-delete cancel-run retry-run run-again run-record-again".split()),
    *("watch-person renew-agent retire-agent export-account".split()),
    *("account_logout oidc openid_connect_callback mfa_login_webauthn end-sessions".split()),
    # Shown to people who have no password, or a second factor, or are on the way.
    *("account_set_password shown-up-again socialaccount_signup mfa_authenticate".split()),
    *("mfa_reauthenticate mfa_reauthenticate_webauthn mfa_deactivate_totp".split()),
    *("mfa_view_recovery_codes mfa_remove_webauthn".split()),
    *("switch-webhook webhook-secret ping-webhook delete-webhook resend-delivery".split()),
    *("revoke-token lift-suspension remove-agent-label label-account".split()),
    *("remove-canary", "tell-preview"),
    *("unsubscribe-digest", "short-result"),
    *("restore-document delete-item delete-document-template delete-document-view".split()),
    *("page-client", "summary"),
    *("package-index package-index-project package-file package-metadata pylock".split()),
    *("locked-requirements llms function-feed person-feed dependencies-feed".split()),
}
NOT_OURS = (
    "api/v1",
    "admin/",
    "django-rq",
    "staff/auth",
    "staff/account",
    "staff/mfa",
    "staff/socialaccount",
    "staff/django_rq",
    "staff/login",
)
NOT_OURS_BY_NAME = {
    *("index password_change password_change_done autocomplete jsi18n".split()),
    *("view_on_site app_list".split()),
}


@pytest.fixture
def nine(live_site: Site) -> Function:
    """Publish `Nine` with a test, a wrong implementation and one that waits for a missing name."""
    function = define("Nine", signature="() -> int")
    publish_test(function, "def test_value():\n    assert Nine() == 9\n", author="tess")
    implement(function, constant("Nine", 8), author="iris")
    implement(function, "# <<Gone>>\ndef Nine():\n    return Gone()\n", author="otto")
    assert becomes_quiet()
    return function


# --- The main job ---------------------------------------------------------------------------------


def test_the_main_job_by_keyboard_alone(live_site: Site, as_person: SignIn, nine: Function) -> None:
    page = as_person("nora")
    page.goto(live_site.url)
    page.keyboard.press("/")
    page.keyboard.type("Nine")
    page.keyboard.press("Enter")
    press(page, page.locator(".list").get_by_role("link", name="Nine", exact=True))
    expect(page.locator("h1")).to_have_text("Nine")
    press(page, page.get_by_role("button", name="New implementation").first)
    editor = page.locator(".cm-content")
    tab_to(page, editor)
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(NINE)
    page.keyboard.press("Control+Enter")
    square = page.locator("#results .quilt .sq[data-cell]")
    expect(square).to_have_attribute("data-state", "passed")
    # Escape, and Tab leaves the editor instead of indenting.
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()
    press(page, page.get_by_role("button", name="Publish…"), back=True)
    press(page, page.locator("[data-publish-button]"))
    expect(page.locator("[data-live-status]")).to_have_text("Implemented")
    assert Function.objects.get(name="Nine").elected is not None
    press(page, page.locator("#I1 [data-vote=up]"))
    expect(page.locator("#I1 .vote output")).to_have_text("1")


def test_the_main_job_without_a_script(live_site: Site, as_person: SignIn, nine: Function) -> None:
    page = as_person("nora", java_script_enabled=False)
    page.goto(f"{live_site.url}/functions/Nine/")
    page.locator("#implementations .col-head").get_by_role("button").first.click()
    page.fill("textarea[name=code]", "def Nine( ):\n  return 9\n")
    page.get_by_role("button", name="Format").click()
    expect(page.locator("textarea[name=code]")).to_have_value(NINE)
    page.get_by_role("button", name="Run draft").click()
    page.wait_for_url("**/runs/**")
    assert becomes_quiet()
    page.reload()
    expect(page.locator("#tasks .task[data-task=succeeded]")).to_have_count(2)
    page.goto(f"{live_site.url}/drafts/")
    page.locator(".list, main").get_by_role("link", name=re.compile("Nine|untitled")).first.click()
    page.locator("#T1 summary").click()
    page.get_by_role("button", name="Run only T1").click()
    assert becomes_quiet()
    page.go_back()
    page.get_by_role("button", name="Publish…").click()
    page.locator("[data-publish-button]").click()
    page.wait_for_url("**/functions/Nine/**")
    assert becomes_quiet()
    page.reload()
    expect(page.locator("[data-live-status]")).to_have_text("Implemented")


def test_the_main_job_on_a_phone(live_site: Site, as_person: SignIn, nine: Function) -> None:
    page = as_person("nora", **PHONE)
    page.goto(f"{live_site.url}/functions/Nine/")
    page.get_by_role("button", name="New implementation").first.tap()
    page.locator(".cm-content").tap()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("def Nine():\n    return nein\n")
    problem = page.locator("[data-problems] button")
    expect(problem).to_contain_text("`nein` is not defined")
    problem.tap()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(NINE)
    page.get_by_role("button", name="Run draft").tap()
    expect(page.locator("#results .quilt .sq[data-cell]")).to_have_attribute("data-state", "passed")
    assert overflow(page) == 0
    page.get_by_role("button", name="Publish…").tap()
    page.locator("[data-publish-button]").tap()
    expect(page.locator("[data-live-status]")).to_have_text("Implemented")


def tab_to(page: Page, wanted: Locator, *, back: bool = False) -> None:
    """Press Tab until the element has the focus."""
    expect(wanted).to_be_visible()
    for _ in range(MOST_TABS):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError(f"{wanted} is not reached by Tab")


def press(page: Page, wanted: Locator, *, back: bool = False) -> None:
    """Reach a link or a button by Tab, and press Enter."""
    tab_to(page, wanted, back=back)
    page.keyboard.press("Enter")


# --- Every page -----------------------------------------------------------------------------------


@pytest.fixture
def addresses(nine: Function, live_site: Site, page: Page) -> dict[str, str]:
    """Make one of everything, and return the address of each page by its name."""
    nora, olga = account("nora", is_staff=True), account("olga")
    right = implement(nine, constant("Nine", 9), author="ida")
    comment = write_comment(actor=nora, subject=nine, text="Why <<Gone>>?")
    reply_to(actor=olga, comment=comment, text="So.")
    draft = draft_implementation(nine, constant("Nine", 7), author="nora")
    revise_function(actor=olga, function=nine, signature="() -> int", description="*Nine*.")
    revision = FunctionRevision.objects.filter(function=nine).latest("pk")
    own = define("Top", owner="nora")
    implement(own, "# <<Nine>>\ndef Top():\n    return Nine()\n", author="nora")
    assert becomes_quiet()
    tests = [
        start_acceptance_test(actor=nora, function=own, target="Nine", code="assert Nine() == 9")
        for _ in range(2)
    ]
    publish_acceptance_test(actor=nora, test=tests[0])
    preview = preview_publishing(actor=nora, draft=draft)
    assert becomes_quiet()
    first, second = _result_keys(page, live_site)
    return {
        **{
            name: f"/{name}/"
            for name in ("wanted", "help-wanted", "flags", "import", "notifications", "drafts")
        },
        **_addresses_of_documents(nora),
        "browse": "/",
        "person": "/people/ida/",
        "edit-profile": "/profile/",
        "votes": "/votes/",
        "agents": "/accounts/agents/",
        "canaries": "/canaries/",
        "canary": f"/canaries/{Canary.objects.create(owner=nora, name='shop').pk}/",
        "webhooks": "/webhooks/",
        "webhook": f"/webhooks/{_webhook(nora)}/",
        "new-function": "/functions/new/",
        "function": "/functions/Nine/",
        "missing": "/functions/Gone/",
        "edit-function": "/functions/Top/edit/",
        "try-function": "/functions/Nine/try/",
        "manage-function": "/functions/Top/manage/",
        "function-log": "/functions/Nine/log/",
        "clone-function": "/functions/Nine/clone/",
        "flag": f"/flags/implementation/{right.pk}/",
        "audit": "/staff/audit/",
        "flag-queue": "/staff/flags/",
        "resolve-flag": "/staff/flags/",
        "staff": "/staff/",
        "suspensions": "/staff/suspended/",
        "agent-labels": "/staff/agents/",
        "delete-function": "/functions/Top/delete/",
        "embed": "/functions/Nine/embed/",
        "export": "/functions/Nine/export/",
        "new-implementation": "/functions/Nine/implementations/new/",
        "new-test": "/functions/Nine/tests/new/",
        "discussion": "/functions/Nine/discussion/",
        "comment": f"/comments/{comment.pk}/",
        "graph": "/functions/Nine/graph/",
        "why": "/functions/Nine/why/",
        "revisions": "/functions/Nine/revisions/",
        "revision": f"/functions/Nine/revisions/{revision.pk}/",
        "compare": "/functions/Nine/implementations/compare/",
        "watched": "/notifications/watched/",
        "digest": "/notifications/mail/",
        "confirm-digest": "/notifications/mail/confirm/x/",
        "draft": f"/drafts/implementation/{draft.pk}/",
        "new-acceptance-test": "/functions/Top/acceptance-tests/new/",
        "acceptance-test": f"/acceptance-tests/{tests[0].pk}/",
        "edit-acceptance-test": f"/acceptance-tests/{tests[1].pk}/edit/",
        "preview": f"/previews/{preview.pk}/",
        "runs": "/runs/",
        "run": f"/runs/{Batch.objects.filter(private=False).latest('pk').pk}/",
        "result": f"/results/{first}/",
        "compare-results": f"/results/{first}/compare/{second}/",
        "account_signup": "/accounts/signup/",
        "account_login": "/accounts/login/",
        "account_reset_password": "/accounts/password/reset/",
        "account_reset_password_done": "/accounts/password/reset/sent/",
        "account_reset_password_from_key": "/accounts/password/reset/1/none/",
        "account_reset_password_from_key_done": "/accounts/password/reset/done/",
        "account_confirm_email": "/accounts/email/confirm/none/",
        "account_email_verification_sent": "/accounts/email/sent/",
        "account-name": "/accounts/name/",
        "account_email": "/accounts/email/",
        "account_change_password": "/accounts/password/change/",
        "account_reauthenticate": "/accounts/reauthenticate/",
        "ask-again": "/accounts/reauthenticate/provider/",
        "socialaccount_connections": "/accounts/providers/",
        "socialaccount_login_cancelled": "/accounts/providers/cancelled/",
        "mfa_index": "/accounts/factors/",
        "mfa_activate_totp": "/accounts/factors/app/",
        "mfa_generate_recovery_codes": "/accounts/factors/codes/new/",
        "mfa_add_webauthn": "/accounts/factors/passkeys/new/",
        "sessions": "/accounts/sessions/",
        "account-data": "/accounts/data/",
        "delete-account": "/accounts/delete/",
        "use": "/use/",
        "quotas": "/staff/quotas/",
        "tokens": "/accounts/tokens/",
        "help": "/help/guide/",
        "not-found": "/nowhere/",
        "difference": f"/implementations/{right.pk}/diff/?against={draft.pk}",
    }


def _webhook(user: User) -> int:
    """Make a webhook of the user's."""
    made = create_webhook(actor=user, url="https://example.org/hook", subject="dependencies")
    ping(actor=user, webhook_id=made.pk)
    return made.pk


def _addresses_of_documents(owner: User) -> dict[str, str]:
    """Make a document, a page, a collection, a view and a template; return their addresses."""
    city = define_function(actor=owner, name="City", kind="document")
    implement(city, '{"name": "Bern", "country": {"key": "Land"}}', author=owner.username)
    shelf = define_function(actor=owner, name="Shelf", kind="page")
    publish_test(shelf, "assert render().status == 200\n", author=owner.username)
    shown = "{# collection Wares #}{# collection Nothing #}<h1>Shelf</h1>\n"
    implement(shelf, shown, author=owner.username)
    assert becomes_quiet()
    wares = create_collection(actor=owner, name="Wares", settings=Settings())
    item = add_item(actor=owner, collection=wares, value={"name": "Lamp", "price": 12})
    create_view(
        actor=owner,
        name="Names",
        definition={"from": "documents", "group_by": "name", "values": {"n": "count"}},
    )
    create_template(actor=owner, name="Short", definition={"title": "$.name"})
    page = define_function(actor=owner, name="Board", kind="page")
    failing = draft_implementation(page, "<h1>\n{{ 1 / 0 }}</h1>\n", author=owner.username)
    return {
        "page": "/p/Board/",  # which isn't implemented
        "page-preview": preview_url(failing),
        "page-visit": visit_url("Board", owner),
        "open-page": "/functions/Board/open/",
        "application": "/functions/Shelf/application/",
        "applications": "/applications/",
        "documents": "/documents/?name=Bern",
        "document-versions": "/functions/City/versions/",
        "document-version": "/functions/City/versions/1/",
        "collections": "/collections/",
        "new-collection": "/collections/new/",
        "collection": "/collections/Wares/",
        "change-collection": "/collections/Wares/settings/",
        "delete-collection": "/collections/Wares/delete/",
        "new-item": "/collections/Wares/items/new/",
        "collection-item": f"/collections/Wares/items/{item.pk}/",
        "document-templates": "/document-templates/",
        "new-document-template": "/document-templates/new/",
        "document-template": "/document-templates/Short/",
        "document-views": "/views/",
        "new-document-view": "/views/new/",
        "document-view": "/views/Names/",
    }


def _result_keys(page: Page, site: Site) -> list[str]:
    page.goto(f"{site.url}/functions/Nine/")
    squares = page.locator('.quilt .sq[href^="/results/"]')
    keys = []
    for href in squares.evaluate_all("squares => squares.map(one => one.getAttribute('href'))")[:2]:
        page.goto(f"{site.url}{href}")
        keys.append(str(page.locator("dt:has-text('Key') + dd code").text_content()))
    return keys


def page_names() -> set[str]:
    """Return the names of the addresses that are pages of ours."""
    found = set()

    def walk(resolver: Any, before: str = "") -> None:
        for pattern in resolver.url_patterns:
            route = before + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                walk(pattern, route)
            elif isinstance(pattern, URLPattern) and not route.startswith(NOT_OURS):
                found.add(pattern.name or "")

    walk(get_resolver())
    return found - NO_PAGES - NOT_OURS_BY_NAME - {""}


@pytest.mark.parametrize("width", WIDTHS)
def test_axe_finds_nothing_on_any_page_in_either_theme(
    width: int, live_site: Site, as_person: SignIn, addresses: dict[str, str]
) -> None:
    assert page_names() - addresses.keys() == set()
    member, visitor = as_person("nora", reduced_motion="reduce"), as_person(reduced_motion="reduce")
    faults: dict[str, str] = {}
    for name, address in addresses.items():
        page = visitor if name in ("account_login", "account_signup") else member
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="light")
        page.goto(f"{live_site.url}{address}")
        _await_scripts(page)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page, options={"resultTypes": ["violations"]})
            if found.violations_count:
                faults[f"{name}, {scheme}"] = found.generate_report()
        if wider := overflow(page):
            faults[name] = f"{wider} pixels wider than the window"
    assert faults == {}, "\n".join(f"{where}: {what}" for where, what in faults.items())


def _await_scripts(page: Page) -> None:
    if page.locator("body[data-topic][data-function], body[data-topic][data-draft^=impl]").count():
        expect(page.locator(".conn").first).to_have_attribute("data-conn", "live")


def overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than the window."""
    width: int = page.evaluate(
        "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
    )
    return width


def test_pages_stay_whole_with_text_of_twice_the_size(
    live_site: Site, as_person: SignIn, addresses: dict[str, str]
) -> None:
    page = as_person("nora", viewport={"width": 1280, "height": 900})
    faults = {}
    for name in ("browse", "function", "draft", "run", "result", "person", "compare", "missing"):
        page.goto(f"{live_site.url}{addresses[name]}")
        before = page.locator("main").evaluate("main => getComputedStyle(main).fontSize")
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        after = page.locator("main").evaluate("main => getComputedStyle(main).fontSize")
        assert float(after[:-2]) == 2 * float(before[:-2]), name
        cut = page.evaluate(CUT_OFF)
        if overflow(page) > 0 or cut:
            faults[name] = (overflow(page), cut)
    assert faults == {}


# Buttons, links and headings whose text is cut off, though nothing says that it goes on.
CUT_OFF = """
() => [...document.querySelectorAll("main :is(button, .btn, h1, h2, h3), header :is(a, button)")]
  .filter((one) => one.checkVisibility() && !one.closest(".sr-only, [popover], .skip"))
  .filter((one) => {
    const style = getComputedStyle(one);
    if (style.textOverflow === "ellipsis" || style.clipPath !== "none") return false;
    const hides = style.overflowX !== "visible" || style.overflowY !== "visible";
    const isCut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1;
    return hides && isCut;
  })
  .map((one) => one.outerHTML.slice(0, 120))
"""


def test_states_differ_in_shape_where_the_system_chooses_the_colours(
    live_site: Site, as_person: SignIn, nine: Function
) -> None:
    implement(nine, constant("Nine", 9), author="ida")
    assert becomes_quiet()
    page = as_person(forced_colors="active")
    page.goto(f"{live_site.url}/functions/Nine/")
    squares = {
        str(square.get_attribute("data-state")): square.screenshot()
        for square in page.locator(".quilt .sq").all()
    }
    assert set(squares) == {"passed", "failed", "broken"}
    assert len(set(squares.values())) == len(squares)
    expect(page.locator("#I3 .card-flag")).to_be_visible()


def test_nothing_moves_with_reduced_motion(
    live_site: Site, as_person: SignIn, nine: Function
) -> None:
    page = as_person("nora", reduced_motion="reduce")
    page.goto(f"{live_site.url}/functions/Nine/")
    _await_scripts(page)
    live_site.pause_workers()
    publish_test(nine, "def test_more():\n    assert Nine() > 0\n", author="tess")
    expect(page.locator(".quilt .sq[data-state=pending]").first).to_be_visible()
    moving = "() => document.getAnimations().filter((one) => one.playState === 'running').length"
    assert page.evaluate(moving) == 0
    live_site.resume_workers()
    assert becomes_quiet()
    assert page.evaluate(moving) == 0
