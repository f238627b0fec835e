"""Pages of functions: found, missing, defined, revised, deleted."""

import re

import pytest
from django.test import Client

from functions.models import Function, Implementation
from functions.views import functions
from tests.functions.views.conftest import SignedIn
from tests.support import builders as make
from tests.support.works import constant, define, implement

pytestmark = pytest.mark.django_db

NOTHING = {"signature": "", "description": ""}


def test_page_is_found_in_any_case_and_shown_under_its_own_spelling(client: Client) -> None:
    define("Add")
    answer = client.get("/functions/aDD/")
    assert (answer.status_code, answer["Location"]) == (302, "/functions/Add/")


def test_a_get_creates_nothing(client: Client, as_person: SignedIn) -> None:
    person = as_person("nora")
    for path in ("/functions/Nowhere/", "/functions/new/?name=Nowhere"):
        client.get(path)
        person.get(path)
    assert not Function.objects.exists()


def test_missing_function_is_a_404_that_invites(as_person: SignedIn) -> None:
    answer = as_person("nora").get("/functions/Nowhere/")
    assert answer.status_code == 404
    assert b"Define Nowhere" in answer.content


@pytest.mark.parametrize("name", ["1st", "two words", "a-b", "%00", "é", "x" * 81])
def test_what_can_be_no_name_has_no_form(client: Client, name: str) -> None:
    answer = client.get(f"/functions/{name}/")
    assert answer.status_code == 404
    assert b"Define" not in answer.content


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("1st", b"not a valid name"),
        ("while", b"a keyword of Python"),
        ("len", b"built into Python"),
        ("ADD", b"Add"),
        ("", b"This field is required"),
        ("a\x00b", b"Null characters are not allowed"),
    ],
)
def test_a_bad_name_is_refused_beside_its_field_and_what_was_typed_stays(
    as_person: SignedIn, name: str, said: bytes
) -> None:
    define("Add")
    typed = {"name": name, "signature": "(kept)", "description": "kept too"}
    answer = as_person("nora").post("/functions/new/", typed)
    assert answer.status_code == 422
    assert said in answer.content
    assert b"(kept)" in answer.content
    assert b"kept too" in answer.content
    assert Function.objects.count() == 1


def test_a_signature_nested_beyond_reason_starts_a_draft_without_parameters(
    as_person: SignedIn,
) -> None:
    function = define("Deep")
    Function.objects.filter(pk=function.pk).update(signature=f"(x={'-' * 480}1)")
    assert as_person("ida").get("/functions/Deep/implementations/new/").status_code == 200


def test_nobody_defines_without_an_account(client: Client) -> None:
    answer = client.post("/functions/new/", {"name": "Add", **NOTHING})
    assert answer["Location"].startswith("/accounts/login/?next=%2F&intent=")
    assert not Function.objects.exists()


def test_only_the_owner_revises_and_deletes(as_person: SignedIn) -> None:
    define("Add", owner="olga")
    changed = {"signature": "(a, b)", "description": "Changed."}
    other, owner = as_person("nora"), as_person("olga")
    for path in ("/functions/Add/edit/", "/functions/Add/delete/"):
        assert other.post(path, changed).status_code == 403
    assert owner.post("/functions/Add/edit/", changed).status_code == 302
    assert Function.objects.get().description == "Changed."


def test_deleting_lists_who_depends_on_it_and_then_blocks_them(as_person: SignedIn) -> None:
    inner = define("Inner")
    implement(inner, constant("Inner", 1))
    implement(define("Outer"), "# <<Inner>>\ndef Outer():\n    return Inner()\n")
    owner = as_person("olga")
    asked = owner.get("/functions/Inner/delete/")
    assert b"Outer" in asked.content
    assert Function.objects.filter(deleted_at=None).count() == 2
    owner.post("/functions/Inner/delete/")
    assert owner.get("/functions/Inner/").status_code == 404
    assert b'data-status="missing"' in owner.get("/functions/Outer/").content


def test_a_missing_name_is_shown_as_it_is_used_and_what_exists_beside_it_is_not_red(
    client: Client,
) -> None:
    implement(define("Here"), constant("Here", 1))
    implement(define("Outer"), "def Outer():\n    # <<Here>>, <<Nowhere>>\n    return Nowhere()\n")
    used = client.get("/functions/Nowhere/").content.decode()
    assert used.count('class="dep" data-status="missing"') == 1
    assert '<a class="dep" data-status="unimplemented" href="/functions/Here/"' in used


def test_description_and_code_can_do_nothing(as_person: SignedIn, client: Client) -> None:
    attack = "<script>alert(1)</script>"
    person = as_person("nora")
    person.post("/functions/new/", {"name": "Bad", "signature": attack, "description": attack})
    implement(Function.objects.get(), f'def Bad():\n    return "{attack}"\n')
    page = client.get("/functions/Bad/").content.decode()
    assert attack not in page
    assert page.count("&lt;script&gt;") >= 3


def test_pages_forbid_foreign_scripts_and_frames(client: Client) -> None:
    define("Add")
    policy = client.get("/functions/Add/")["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy


def test_list_is_searched_and_filtered(client: Client) -> None:
    for name in ("Add", "AddDays", "Slugify"):
        define(name)
    found = client.get("/?q=add&status=not_implemented").content
    assert b"/functions/AddDays/" in found
    assert b"/functions/Slugify/" not in found
    nothing = client.get("/?q=Nowhere").content
    assert b"define Nowhere" in nothing


def test_who_looks_for_work_sees_first_what_most_functions_wait_for(client: Client) -> None:
    for name, used in {"Beam": 1, "Arch": 0, "Pillar": 9}.items():
        make.function(name, dependents=used)
    whole = make.function("Whole", dependents=7)
    make.elect(make.implementation(whole))
    for name in ("Wished", "Wished", "Dreamt"):
        make.dependency(make.implementation(make.function(status="blocked")), name, None)

    def listed(query: str) -> list[str]:
        page = client.get(f"/?{query}").content.decode()
        return re.findall(r'class="name" href="/functions/([A-Z][a-z]+)/"', page)

    for query in ("status=needs_help", "q=needs:implementation"):
        assert listed(query)[:2] == ["Pillar", "Beam"]
    assert listed("q=needs:implementation&sort=name") == ["Arch", "Beam", "Pillar"]
    assert listed("q=needs:tests") == ["Whole"]
    page = client.get("/?status=needs_help").content.decode()
    wanted = re.findall(
        r'data-status="missing" href="/functions/(\w+)/">\w+</a> <[^>]+>(\d+)', page
    )
    assert wanted == [("Wished", "2"), ("Dreamt", "1")]


@pytest.mark.parametrize("query", ["status=nonsense", "cursor=nonsense", "cursor=WzAsMSwyXQ"])
def test_an_address_that_makes_no_sense_is_a_404(client: Client, query: str) -> None:
    assert client.get(f"/?{query}").status_code == 404


def test_what_only_loads_has_its_name_in_the_log_also_where_it_goes_on_to_write(
    client: Client,
) -> None:
    function = make.function("Add")
    work, run = make.implementation(function), make.execution()
    make.cell(work, None, "passed", key=bytes(run.key))
    make.batch(function.topic, run)
    log = client.get("/functions/Add/").content.decode().split('id="log"')[1]
    assert log.partition(">")[0].endswith(f' data-loading="{bytes(run.key).hex()}"')
    assert f'<a href="/results/{bytes(run.key).hex()}/">loading</a>' in log


def test_a_missing_function_is_defined_as_its_use_says_and_begun_at_once(
    as_person: SignedIn, client: Client
) -> None:
    implement(define("Outer"), "# <<Inner>>\ndef Outer(text):\n    return Inner(text, 2)\n")
    page = client.get("/functions/Inner/").content.decode()
    assert 'value="(text, b)"' in page
    assert "guessed from its use" in page
    typed = {"name": "Inner", "signature": "(text: str, b: int) -> str", "description": ""}
    for noun, started in (
        ("implementation", "def Inner(text, b):"),
        ("test", 'assert Inner("abc", 2) == ...  # str'),
    ):
        answer = as_person("nora").post("/functions/new/", {**typed, "then": noun})
        assert answer["Location"].startswith(f"/drafts/{noun}/")
        assert started in as_person("nora").get(answer["Location"]).content.decode().replace(
            "&quot;", '"'
        )
        Function.objects.filter(name="Inner").delete()
    asked = client.post("/functions/new/", typed)
    assert "intent=" in asked["Location"]


@pytest.mark.parametrize("order", ["", "order=shortest"])
def test_a_page_of_many_implementations_has_the_first_cards_and_a_link_to_all(
    client: Client, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    monkeypatch.setattr(functions, "MOST_CARDS", 3)
    many = make.function("Many", last_implementation_number=6)
    works = [make.implementation(many) for _ in range(6)]
    make.cell(works[0], make.test_of(many), "passed")
    numbers = [work.number for work in works]

    def read(query: str) -> str:
        return client.get(f"/functions/Many/?{query}").content.decode()

    def cards(query: str) -> set[int]:
        found = re.findall(r'<article class="card" id="I(\d+)"', read(query))
        return {int(number) for number in found}

    page = read(order)
    shown = cards(order)
    assert len(shown) == 3
    assert "Show all 6 implementations" in page
    assert page.count("<tr data-implementation=") == 6
    assert f'href="?{order}{"&amp;" if order else ""}all=1#implementations"' in page
    for number in numbers:
        away = "" if number in shown else f"?open=I{number}"
        assert f'<a href="{away}#I{number}"><span class="num">' in page
    hidden = (set(numbers) - shown).pop()
    assert cards(f"{order}&open=I{hidden}") == {*shown, hidden}
    assert cards("all=1") == set(numbers)
    assert "Show all" not in read("all=1")
    hidden_work = next(work for work in works if work.number == hidden)
    shown_work = next(work for work in works if work.number in shown)
    Implementation.objects.filter(pk=hidden_work.pk).update(based_on=shown_work.pk)
    for query in (order, "all=1"):
        assert f'<span>copied as <a href="#I{hidden}">#{hidden}</a></span>' in " ".join(
            read(query).split()
        )
    make.elect(hidden_work)
    assert hidden in cards(order)
