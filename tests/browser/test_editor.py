"""The editor: nothing typed is lost, and what is wrong is shown at its place."""

import pytest
from playwright.sync_api import Page, Route, expect

from functions.acceptance import start_acceptance_test
from functions.models import Implementation
from tests.browser.conftest import SignIn
from tests.support.browser.editor import publish, saved, write
from tests.support.site import Site, becomes_quiet
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
)


@pytest.fixture
def draft(live_site: Site) -> Implementation:
    """Start an implementation of `Nine` by nora, with a test to run it against."""
    function = define("Nine")
    publish_test(function, "def test_value():\n    assert Nine() == 9\n")
    return draft_implementation(function, constant("Nine", 9), author="nora")


def open_draft(page: Page, site: Site, draft: Implementation) -> Page:
    page.goto(f"{site.url}/drafts/implementation/{draft.pk}/")
    expect(page.locator(".cm-content")).to_be_visible()
    return page


def code_of(draft: Implementation) -> str:
    draft.refresh_from_db()
    return draft.code


def test_draft_is_saved_as_one_types_and_is_there_after_a_reload(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    page = open_draft(as_person("nora"), live_site, draft)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# more")
    saved(page)
    assert code_of(draft).endswith("# more")
    page.reload()
    expect(page.locator(".cm-content")).to_contain_text("# more")


def test_what_is_typed_while_the_server_is_away_survives_a_closed_tab(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    page = open_draft(as_person("nora"), live_site, draft)
    save = f"**/drafts/implementation/{draft.pk}/"
    page.route(save, _only_reading)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# typed while away")
    expect(page.locator(".saved")).to_have_text("Kept on this device")
    other = page.context.new_page()
    page.close(run_before_unload=False)
    open_draft(other, live_site, draft)
    expect(other.locator(".cm-content")).to_contain_text("# typed while away")
    saved(other)
    assert code_of(draft).endswith("# typed while away")


def test_what_was_kept_and_saved_all_the_same_is_let_go(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    page = open_draft(as_person("nora"), live_site, draft)
    kept = {"code": draft.code, "title": draft.title, "version": draft.version - 1}
    keep = "kept => localStorage.setItem(document.body.dataset.draft, JSON.stringify(kept))"
    page.evaluate(keep, kept)
    page.reload()
    saved(page)
    expect(page.locator(".cm-content")).to_contain_text("return 9")


def _only_reading(route: Route) -> None:
    if route.request.method == "POST":
        route.abort()
    else:
        route.continue_()


def test_an_acceptance_test_is_saved_as_one_types_too(live_site: Site, as_person: SignIn) -> None:
    implement(define("Alpha"), constant("Alpha", 1))
    beta = define("Beta", owner="ben")
    implement(beta, "# <<Alpha>>\ndef Beta():\n    return Alpha()\n")
    test = start_acceptance_test(actor=account("ben"), function=beta, target="Alpha")
    page = as_person("ben")
    page.goto(f"{live_site.url}{test.get_absolute_url()}edit/")
    page.get_by_label("Code").fill("assert Alpha() == 1")
    expect(page.locator(".saved")).to_contain_text("Saved ")
    page.get_by_label("Title").fill("as we need it")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="as we need it")).to_be_visible()
    test.refresh_from_db()
    assert (test.code, test.title) == ("assert Alpha() == 1", "as we need it")


def test_two_windows_never_overwrite_each_other(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    first = open_draft(as_person("nora"), live_site, draft)
    second = open_draft(as_person("nora"), live_site, draft)
    write(first, "# the first window\n")
    second.locator(".cm-content").click()
    second.keyboard.press("Control+a")
    second.keyboard.press("Delete")
    second.keyboard.insert_text("# the second window\n")
    conflict = second.locator("#conflict")
    expect(conflict).to_contain_text("changed in another window")
    assert code_of(draft) == "# the first window\n"
    conflict.get_by_role("button", name="Show the difference").click()
    expect(conflict.locator("[data-difference]")).to_contain_text("- # the first window")
    conflict.get_by_role("button", name="Keep this one").click()
    saved(second)
    assert code_of(draft) == "# the second window\n"


def test_code_that_does_not_parse_is_kept_and_refused_with_its_line(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    page = open_draft(as_person("nora"), live_site, draft)
    write(page, "def Nine():\n    return (9\n")
    publish(page)
    errors = page.locator("#errors")
    expect(errors).to_contain_text("The draft was not published.")
    expect(errors).to_contain_text("Line 2")
    expect(errors).to_be_focused()
    expect(page.locator(".cm-lintRange-error")).to_be_visible()
    expect(page.locator(".cm-lint-marker-error")).to_be_visible()
    errors.get_by_role("link").click()
    expect(page.locator(".cm-content")).to_be_focused()
    expect(page.locator("[data-cursor]")).to_contain_text("line 2")
    assert code_of(draft) == "def Nine():\n    return (9\n"


def test_markers_are_listed_beside_the_code_and_a_missing_one_is_red(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    define("Known")
    page = open_draft(as_person("nora"), live_site, draft)
    write(page, "# <<Known>> and <<Unknown>>\ndef Nine():\n    return 1 <<Known>> 2\n")
    chips = page.locator("[data-links] a")
    expect(chips).to_have_count(2)
    expect(chips.nth(0)).to_have_attribute("data-status", "not_implemented")
    expect(chips.nth(1)).to_have_attribute("data-status", "missing")
    expect(page.locator(".cm-content .dep")).to_have_count(2)
    with page.context.expect_page() as opened:
        page.locator(".cm-content .dep", has_text="Unknown").click(modifiers=["Control"])
    expect(opened.value.locator("h1")).to_have_text("Unknown")


def test_run_results_are_there_again_after_a_reload(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    page = open_draft(as_person("nora"), live_site, draft)
    page.get_by_role("button", name="Run draft").click()
    square = page.locator("#results .quilt .sq")
    expect(square).to_have_attribute("data-state", "passed")
    expect(page.locator("#opposite .sq")).to_have_attribute("data-state", "passed")
    page.reload()
    expect(square).to_have_attribute("data-state", "passed")


def test_a_draft_is_nobody_elses(live_site: Site, as_person: SignIn, draft: Implementation) -> None:
    account("iris")
    page = as_person("iris")
    answer = page.goto(f"{live_site.url}/drafts/implementation/{draft.pk}/")
    assert answer is not None
    assert answer.status == 404
    expect(page.locator("main")).not_to_contain_text("return 9")


def test_typing_over_several_lines_is_one_step_and_breaks_no_policy(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    page = open_draft(as_person("nora"), live_site, draft)
    write(page, "first\nsecond\nthird\n")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.type("x")
    page.keyboard.press("Control+s")
    saved(page)
    assert code_of(draft) == "xthird\n"
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+s")
    saved(page)
    assert code_of(draft) == "first\nsecond\nthird\n"


def test_a_failing_test_opens_with_what_was_expected_and_where_it_happened(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    publish_test(draft.function, "def test_type():\n    assert isinstance(Nine(), int)\n")
    publish_test(draft.function, "def test_sum():\n    assert Nine() + 1 == 10\n")
    page = open_draft(as_person("nora"), live_site, draft)
    write(page, "def Nine():\n    return 8\n")
    page.get_by_role("button", name="Run draft").click()
    first, last = page.locator("#T1"), page.locator("#T3")
    # The first that fails is open; others open when they are wanted, with their reason.
    expect(page.locator("#opposite .trow[open] .explanation dd")).to_have_count(2)
    for row, values in ((first, ["9", "8"]), (last, ["10", "9"])):
        if row.get_attribute("open") is None:
            row.locator("summary").click()
        expect(row.locator(".explanation dd")).to_have_text(values)
        expect(row.locator(".line[data-mark=error]")).to_have_attribute("data-n", "2")
    expect(first.locator(".explanation")).to_contain_text("Line 2. Nine() == 9")
    write(page, "def Nine():\n    return 1 / 0\n")
    page.get_by_role("button", name="Run draft").click()
    expect(page.locator(".cm-failed")).to_have_text("    return 1 / 0")
    expect(first.locator(".explanation")).to_contain_text("ZeroDivisionError")
    write(page, "def Nine():\n    return 9\n")
    page.get_by_role("button", name="Run draft").click()
    expect(page.locator("#results .quilt .sq[data-cell]").nth(0)).to_have_attribute(
        "data-state", "passed"
    )
    expect(page.locator(".explanation")).to_have_count(0)
    expect(page.locator(".cm-failed")).to_have_count(0)


def test_earlier_runs_and_the_current_implementation_are_rows_to_compare_with(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    implement(draft.function, constant("Nine", 9))
    assert becomes_quiet()
    page = open_draft(as_person("nora"), live_site, draft)
    compared = page.locator("#compared tr")
    expect(compared).to_have_count(1)
    expect(compared).to_contain_text("current")
    square = page.locator("#results .quilt .sq[data-cell]")
    for value, state in ((8, "failed"), (9, "passed")):
        write(page, constant("Nine", value))
        page.get_by_role("button", name="Run draft").click()
        expect(square).to_have_attribute("data-state", state)
    expect(compared).to_have_count(2)
    expect(compared.nth(0).locator(".sq")).to_have_attribute("data-state", "failed")
    expect(compared.nth(0)).to_contain_text("0/1")
    expect(page.locator("#results [data-progress]")).to_have_text("1 of 1 passed")
    page.reload()
    expect(square).to_have_attribute("data-state", "passed")
    expect(compared.nth(0).locator(".sq")).to_have_attribute("data-state", "failed")


def test_one_test_can_be_run_alone(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    publish_test(draft.function, "def test_type():\n    assert isinstance(Nine(), int)\n")
    page = open_draft(as_person("nora"), live_site, draft)
    page.locator("#T2 summary").click()
    page.get_by_role("button", name="Run only T2").click()
    second = page.locator("#results .quilt .sq[title*=' T2']")
    expect(second).to_have_attribute("data-state", "passed")
    first = page.locator("#results .quilt .sq[title*=' T1']")
    expect(first).to_have_attribute("data-state", "none")
    page.reload()
    expect(second).to_have_attribute("data-state", "passed")
    expect(first).to_have_attribute("data-state", "none")


@pytest.mark.parametrize(
    ("code", "severity", "message"),
    [
        ("def Nine():\n    return (9", "error", "Line 2: '(' was never closed."),
        ("import socket\n", "error", "programs reach no network"),
        ("# <<Alphaa>>\ndef Nine():\n    return 9\n", "warning", "Did you mean <<Alpha>>?"),
        ("# <<alpha>>\ndef Nine():\n    return 9\n", "error", "<<alpha>> is spelled <<Alpha>>."),
        ("def Nine():\n    return nein + 1\n", "warning", "`nein` is not defined."),
        ("def Nine():\n    return Alpha()\n", "warning", "write <<Alpha>> in a comment"),
    ],
)
def test_what_is_wrong_is_said_while_one_types_at_its_place(
    live_site: Site,
    as_person: SignIn,
    draft: Implementation,
    code: str,
    severity: str,
    message: str,
) -> None:
    define("Alpha")
    page = open_draft(as_person("nora"), live_site, draft)
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(code)
    problem = page.locator(f"[data-problems] button[data-severity={severity}]")
    expect(problem).to_contain_text(message)
    expect(page.locator(f".cm-lintRange-{severity}").first).to_be_visible()
    problem.click()
    expect(page.locator(".cm-content")).to_be_focused()


def test_functions_their_names_helpers_and_modules_are_completed(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    function = define("Alpha", signature="(a: int, b: int) -> int")
    implement(function, "HALF = 0.5\ndef Alpha(a, b):\n    '''Adds both.'''\n    return a + b\n")
    assert becomes_quiet()
    page = open_draft(as_person("nora"), live_site, draft)
    write(page, "")
    offered = page.locator(".cm-tooltip-autocomplete li")
    page.keyboard.type("# <<Alp")
    expect(offered.filter(has_text="Alpha(a: int, b: int) -> int")).to_be_visible()
    page.wait_for_timeout(150)  # the editor takes no choice in the first moments
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_contain_text("# <<Alpha>>")
    expect(page.locator("[data-links] a")).to_have_text("Alpha")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("from fra")
    expect(offered.filter(has_text="fractions")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    page.keyboard.type("\nx = HA")
    expect(offered.filter(has_text="HALF")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.type("\nlo")
    expect(offered.filter(has_text="log(*values)")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.type("\nAlpha(1, ")
    help_box = page.locator(".cm-signature")
    expect(help_box).to_contain_text("Alpha(a, b)")
    expect(help_box).to_contain_text("Adds both.")
    expect(help_box.locator("b")).to_have_text(" b")
    page.keyboard.press("Escape")
    expect(help_box).to_have_count(0)


def test_a_function_that_is_completed_in_the_code_is_marked_in_a_comment(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    define("Alpha")
    page = open_draft(as_person("nora"), live_site, draft)
    write(page, "x = ")
    page.keyboard.press("Control+End")
    page.keyboard.type("Alp")
    expect(page.locator(".cm-tooltip-autocomplete li", has_text="Alpha")).to_be_visible()
    page.wait_for_timeout(150)
    page.keyboard.press("Enter")
    saved(page)
    assert code_of(draft) == "# <<Alpha>>\nx = Alpha"


def test_code_is_formatted_and_searched(
    live_site: Site, as_person: SignIn, draft: Implementation
) -> None:
    page = open_draft(as_person("nora"), live_site, draft)
    write(page, "def Nine( ):\n  return  9")
    page.get_by_role("button", name="Format").click()
    expect(page.locator(".cm-content")).to_contain_text("def Nine():")
    saved(page)
    assert code_of(draft) == "def Nine():\n    return 9\n"
    page.keyboard.press("Control+z")  # undone in one step
    write(page, "def Nine(:\n")
    page.locator(".cm-content").click()
    page.keyboard.press("Shift+Alt+F")
    expect(page.locator("#errors")).to_contain_text("without syntax errors")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+f")
    page.locator(".cm-search input[name=search]").press_sequentially("Nine")
    expect(page.locator(".cm-searchMatch")).to_have_count(1)


def test_an_acceptance_tests_draft_is_run(live_site: Site, as_person: SignIn) -> None:
    implement(define("Alpha"), constant("Alpha", 1))
    beta = define("Beta", owner="ben")
    implement(beta, "# <<Alpha>>\ndef Beta():\n    return Alpha()\n")
    assert becomes_quiet()
    test = start_acceptance_test(actor=account("ben"), function=beta, target="Alpha")
    page = as_person("ben")
    page.goto(f"{live_site.url}{test.get_absolute_url()}edit/")
    page.get_by_label("Code").fill("assert Alpha() == 2")
    page.get_by_role("button", name="Run").click()
    result = page.locator("#result")
    expect(result.locator("[data-result]")).to_contain_text("failed")
    expect(result.locator(".explanation dd")).to_have_text(["2", "1"])
    page.get_by_label("Code").fill("assert Alpha() == 1")
    page.keyboard.press("Control+Enter")
    expect(result.locator("[data-result]")).to_contain_text("passed")
    expect(result.locator(".explanation")).to_have_count(0)
