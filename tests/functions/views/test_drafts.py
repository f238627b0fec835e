"""Drafts as forms and scripts save, run and publish them."""

import pytest
from django.test import Client

from functions.models import Implementation, Test, Work
from tests.functions.views.conftest import SignedIn
from tests.support import builders as make
from tests.support.works import constant, define, draft_implementation

pytestmark = pytest.mark.django_db

JSON = {"Accept": "application/json"}


@pytest.fixture
def draft() -> Implementation:
    """Start a draft of nora's."""
    return draft_implementation(define("Two"), constant("Two", 2), author="nora")


def path_of(draft: Implementation, action: str = "") -> str:
    return f"/drafts/implementation/{draft.pk}/{action}"


def code_of(draft: Implementation) -> str:
    draft.refresh_from_db()
    return draft.code


def test_a_get_starts_no_draft_and_a_post_does(as_person: SignedIn) -> None:
    define("Two")
    person = as_person("nora")
    assert b"def Two" in person.get("/functions/Two/implementations/new/").content
    assert not Implementation.objects.exists()
    answer = person.post("/functions/Two/implementations/new/")
    assert answer["Location"] == path_of(Implementation.objects.get())


def test_a_test_by_a_schema_is_started_for_documents_alone(as_person: SignedIn) -> None:
    make.function("Ware", kind="document")
    make.function("Two")
    person = as_person("nora")
    for name in ("Ware", "Two"):
        person.post(f"/functions/{name}/tests/new/", {"schema": "WareSchema"})
    by_schema, plain = Test.objects.order_by("id")
    assert "jsonschema.validate(data, WareSchema)" in by_schema.code
    assert by_schema.title == "fits WareSchema"
    assert "WareSchema" not in plain.code


def test_any_text_is_saved_with_its_line_ends_made_one_kind(
    as_person: SignedIn, draft: Implementation
) -> None:
    typed = {"code": "def Two(:\r\n  nonsense\r\n", "title": "half done", "version": 0}
    answer = as_person("nora").post(path_of(draft), typed, headers=JSON)
    assert (answer.status_code, answer.json()["version"]) == (200, 1)
    assert code_of(draft) == "def Two(:\n  nonsense\n"
    assert draft.title == "half done"


def test_an_older_version_overwrites_nothing_and_is_told_what_is_there(
    as_person: SignedIn, draft: Implementation
) -> None:
    person = as_person("nora")
    person.post(path_of(draft), {"code": "first", "title": "", "version": 0})
    answer = person.post(
        path_of(draft), {"code": "second", "title": "", "version": 0}, headers=JSON
    )
    assert answer.status_code == 409
    assert answer.json()["code"] == "edit_conflict"
    assert answer.json()["theirs"] == {"code": "first", "title": "", "version": 1}
    assert code_of(draft) == "first"
    page = person.post(path_of(draft), {"code": "second", "title": "", "version": 0})
    assert page.status_code == 409
    assert b"second" in page.content
    assert b"first" in page.content


@pytest.mark.parametrize("action", ["run/", "publish/"])
def test_a_script_acts_on_the_version_that_it_saved(
    as_person: SignedIn, draft: Implementation, action: str
) -> None:
    person = as_person("nora")
    assert person.post(path_of(draft, action), {"version": 7}, headers=JSON).status_code == 409
    assert person.post(path_of(draft, action), {"version": 0}, headers=JSON).status_code == 200


@pytest.mark.parametrize(
    ("code", "error", "line"),
    [
        ("def Two():\n    return (2\n", "syntax_error", 2),
        ("# only a comment\n", "empty_code", None),
        ("# <<no name>>\ndef Two():\n    return 2\n", "invalid_marker", 1),
        ("# <<tWo>>\ndef Two():\n    return 2\n", "self_dependency", 1),
    ],
)
def test_publishing_says_what_is_wrong_and_where_and_keeps_what_was_typed(
    as_person: SignedIn, draft: Implementation, code: str, error: str, line: int | None
) -> None:
    person = as_person("nora")
    version = person.post(path_of(draft), {"code": code, "title": ""}, headers=JSON).json()[
        "version"
    ]
    answer = person.post(path_of(draft, "publish/"), {"version": version}, headers=JSON)
    assert answer.status_code == 422
    assert (answer.json()["errors"][0]["code"], answer.json()["errors"][0]["line"]) == (error, line)
    page = person.post(
        path_of(draft, "publish/"), {"code": code, "title": "kept", "version": version}
    )
    assert page.status_code == 422
    assert b"kept" in page.content
    assert code_of(draft) == code
    assert draft.state == Work.State.DRAFT


@pytest.mark.parametrize("bad", ["a\x00b", "x" * 150_000])
def test_what_can_not_be_kept_is_refused_and_the_former_text_stays(
    as_person: SignedIn, draft: Implementation, bad: str
) -> None:
    former = draft.code
    answer = as_person("nora").post(path_of(draft), {"code": bad, "title": ""}, headers=JSON)
    assert answer.status_code in (413, 422)
    assert answer.json()["message"]
    assert code_of(draft) == former


def test_ten_megabytes_are_too_large(as_person: SignedIn, draft: Implementation) -> None:
    former = draft.code
    answer = as_person("nora").post(path_of(draft), {"code": "x" * 10_000_000, "title": ""})
    assert answer.status_code == 413
    assert b"Too large" in answer.content
    assert code_of(draft) == former


@pytest.mark.parametrize("action", ["", "run/", "publish/", "discard/"])
def test_somebody_elses_draft_is_not_there(
    as_person: SignedIn, client: Client, draft: Implementation, action: str
) -> None:
    typed = {"code": "mine now", "title": ""}
    assert as_person("iris").post(path_of(draft, action), typed).status_code == 404
    assert client.post(path_of(draft, action), typed).status_code == 302
    assert code_of(draft) == constant("Two", 2)


def test_publishing_leads_to_the_work_and_its_draft_address_does_too(
    as_person: SignedIn, draft: Implementation
) -> None:
    person = as_person("nora")
    answer = person.post(path_of(draft, "publish/"), {"code": draft.code, "title": ""})
    assert answer["Location"] == "/functions/Two/#I1"
    assert person.get(path_of(draft))["Location"] == "/functions/Two/#I1"


def test_a_discarded_draft_is_gone(as_person: SignedIn, draft: Implementation) -> None:
    person = as_person("nora")
    assert person.post(path_of(draft, "discard/"))["Location"] == "/functions/Two/"
    assert not Implementation.objects.exists()
    assert b"No drafts" in person.get("/drafts/").content


def test_the_form_of_a_new_draft_asks_only_for_what_one_can_see(as_person: SignedIn) -> None:
    define("Two")
    page = as_person("nora").get("/functions/Two/tests/new/").content.decode()
    assert "Version" not in page
    assert 'type="hidden" name="version"' in page


def test_a_name_that_nobody_can_define_is_no_link(
    as_person: SignedIn, draft: Implementation
) -> None:
    typed = {"code": "# <<class>> <<print>> <<Three>>\n", "title": "", "version": 0}
    answer = as_person("nora").post(path_of(draft), typed, headers=JSON)
    assert [link["name"] for link in answer.json()["links"]] == ["Three"]


def test_formatting_without_a_script_keeps_what_was_typed(
    as_person: SignedIn, draft: Implementation
) -> None:
    nora = as_person("nora")
    typed = {"code": "def Two( ): return 2", "title": "short", "version": draft.version}
    assert nora.post(path_of(draft, "format/"), typed)["Location"] == path_of(draft)
    assert code_of(draft) == "def Two():\n    return 2\n"
    assert draft.title == "short"
    wrong = {"code": "def Two(:", "title": "shorter", "version": draft.version}
    page = nora.post(path_of(draft, "format/"), wrong)
    assert (page.status_code, "def Two(:" in page.content.decode()) == (422, True)
    assert "without syntax errors" in page.content.decode()
    # In the meantime another window has saved.
    late = {"code": "def Two(  ): ...", "title": "late", "version": 0}
    assert nora.post(path_of(draft, "format/"), late).status_code == 409
    assert code_of(draft) == "def Two(:"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import socket\nreturn nowhere", "programs reach no network"),
        ("import socket\nnonlocal x", "programs reach no network"),
        ("x = " + "(" * 300 + ")" * 300, "nested"),
        ("def f(a, a): return nowhere", "uplicate"),
    ],
)
def test_any_code_is_checked(
    as_person: SignedIn, draft: Implementation, code: str, found: str
) -> None:
    answer = as_person("nora").post(path_of(draft, "check/"), {"code": code}, headers=JSON)
    assert answer.status_code == 200
    assert any(found in problem["message"] for problem in answer.json()["problems"])
