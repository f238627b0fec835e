"""Documents, collections and views: written, found, restored, and followed by who looks on."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from functions.authoring import define_function
from functions.collections.definition import Settings, create_collection
from functions.document_revisions.edits import patch_document
from functions.document_views.ownership import create_view
from functions.models import Document, DocumentView, Function, Implementation
from tests.browser.conftest import SignIn
from tests.support.browser.editor import publish, write
from tests.support.site import Site, becomes_quiet
from tests.support.works import account, draft_implementation, implement


def define_document(name: str) -> Function:
    """Define a document of ana."""
    return define_function(actor=account("ana"), name=name, kind="document")


def publish_document(name: str, value: Any) -> Implementation:
    """Publish a document by ana, and wait until it is current."""
    work = implement(define_document(name), json.dumps(value), author="ana")
    assert becomes_quiet()
    return work


def revise(work: Implementation, patch: Any) -> None:
    """Have ana revise her document."""
    function = Function.objects.get(pk=work.function_id)
    patch_document(actor=account("ana"), function=function, patch=patch)


def open_live(page: Page, address: str) -> Page:
    """Open a page that follows its topic; `window.kept` is lost when it is loaded again."""
    page.goto(address)
    expect(page.locator(".conn").first).to_have_attribute("data-conn", "live")
    page.evaluate("window.kept = true")
    return page


def test_a_document_follows_its_revisions_and_what_it_links(
    live_site: Site, as_person: SignIn
) -> None:
    publish_document("City", {"name": "Bern"})
    person = publish_document("Person", {"age": 36, "home": {"key": "City"}})
    page = open_live(as_person(), f"{live_site.url}/functions/Person/")
    panel = page.locator("#document")
    expect(panel).to_contain_text('"name": "Bern"')
    places = [page.locator(part).bounding_box() for part in ("#document", "#results")]
    assert places[0]
    assert places[1]
    assert places[0]["y"] < places[1]["y"]
    writer = as_person("ana")
    writer.goto(f"{live_site.url}/functions/City/")
    writer.locator("#I1 [data-copy]").click()
    write(writer, '{"name": "Basel"}')
    publish(writer)
    expect(panel).to_contain_text('"name": "Basel"')
    revise(person, {"age": 37})
    expect(panel).to_contain_text('"age": 37')
    revise(
        Implementation.objects.get(function__name="City", code__contains="Basel"), {"name": "Ur"}
    )
    expect(panel).to_contain_text('"name": "Ur"')
    assert page.evaluate("window.kept")


def test_the_editor_knows_json(live_site: Site, as_person: SignIn) -> None:
    publish_document("City", {"name": "Bern"})
    draft = draft_implementation(define_document("Person"), '{"name": "Ada"}', author="ana")
    page = as_person("ana")
    page.goto(f"{live_site.url}/drafts/implementation/{draft.pk}/")
    expect(page.locator(".cm-line .nt")).to_have_text('"name"')
    write(page, '{\n  "home": {"key": "City"},\n  "age": ,\n}')
    expect(page.locator("[data-problems]")).to_contain_text("Line 3")
    expect(page.locator(".cm-line", has_text="age").locator(".cm-lintRange-error")).to_be_visible()
    write(page, '{\n  "home": {"key": "City"},\n  "age": 36\n}')
    expect(page.locator("[data-problems]")).to_be_hidden()
    expect(page.locator('.cm-line .dep[data-name="City"]')).to_have_text('"City"')
    expect(page.locator(".cm-line .mi")).to_have_text("36")


def test_an_error_in_json_is_shown_with_its_line_without_a_script(
    live_site: Site, as_person: SignIn
) -> None:
    draft = draft_implementation(define_document("Person"), "{}", author="ana")
    page = as_person("ana", java_script_enabled=False)
    page.goto(f"{live_site.url}/drafts/implementation/{draft.pk}/")
    page.fill("textarea[name=code]", '{\n  "age": ,\n}')
    page.get_by_role("button", name="Run draft").click()
    expect(page.locator("#errors")).to_contain_text("Line 2")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_documents_are_found_by_conditions_that_a_chip_removes(
    live_site: Site, as_person: SignIn, *, scripts: bool
) -> None:
    for name, age in (("Ada", 36), ("Bob", 20)):
        publish_document(name, {"age": age})
    page = as_person(java_script_enabled=scripts)
    page.goto(f"{live_site.url}/documents/")
    names = page.locator("tbody th")
    expect(names).to_have_text(["Ada", "Bob"])
    page.get_by_label("Path").last.fill("age")
    page.get_by_label("Comparison").last.select_option("is at least")
    page.get_by_label("Value").last.fill("30")
    page.get_by_role("button", name="Find").click()
    expect(names).to_have_text(["Ada"])
    page.get_by_role("link", name="Remove the condition age is at least 30").click()
    expect(names).to_have_text(["Ada", "Bob"])


def test_a_collection_and_a_view_of_it_are_live_in_another_browser(
    live_site: Site, as_person: SignIn
) -> None:
    olga = account("olga")
    create_collection(actor=olga, name="Books", settings=Settings())
    definition = {"from": "collection:Books", "group_by": "kind", "values": {"n": "count"}}
    view = create_view(actor=olga, name="Kinds", definition=definition)
    assert becomes_quiet()
    DocumentView.objects.exclude(built_at=None).get(pk=view.pk)
    table = open_live(as_person(), f"{live_site.url}/collections/Books/")
    groups = open_live(as_person(), f"{live_site.url}/views/Kinds/")
    writer = as_person("wren", java_script_enabled=False)
    writer.goto(f"{live_site.url}/collections/Books/")
    writer.get_by_role("link", name="Add an item").click()
    writer.fill("textarea[name=value]", '{"title": "Emma", "kind": "novel"}')
    writer.get_by_role("button", name="Add").click()
    expect(table.locator("#items tbody tr")).to_contain_text(["Emma"])
    expect(groups.locator("#view-groups tbody tr")).to_contain_text(["novel"])
    writer.locator("#items tbody th a").click()
    writer.fill("textarea[name=value]", '{"title": "Faust", "kind": "play"}')
    writer.get_by_role("button", name="Save").click()
    expect(table.locator("#items tbody tr")).to_contain_text(["Faust"])
    expect(groups.locator("#view-groups tbody tr")).to_contain_text(["play"])
    assert table.evaluate("window.kept")
    assert groups.evaluate("window.kept")


def test_a_version_is_compared_and_restored_without_a_script(
    live_site: Site, as_person: SignIn
) -> None:
    work = publish_document("Ada", {"age": 36})
    revise(work, {"age": 37})
    assert becomes_quiet()
    page = as_person("ana", java_script_enabled=False)
    page.goto(f"{live_site.url}/functions/Ada/versions/")
    change = page.locator(".versions > li").first.locator("[data-change=changed]")
    expect(change.locator("del")).to_have_text("36")
    expect(change.locator("ins")).to_have_text("37")
    page.get_by_role("button", name="Restore this version").click()
    expect(page.get_by_role("status")).to_contain_text("Version 1 is being judged")
    assert becomes_quiet()
    page.reload()
    expect(page.locator(".versions > li").first).to_contain_text("restores 1")
    assert Document.objects.get(function__name="Ada").expanded == {"age": 36}
