"""A module is imported on the site: previewed, made at once or not at all, and never lost."""

import io
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.models import Dependency, Function, Implementation, Test
from functions.module_import.plan import plan_import
from functions.names import name_key
from functions.read_models.exports import load_release
from runner.programs.program import source_hash
from runner.sandbox import IMPORTABLE, Module, Pool, Program
from tests.functions.export.test_installation import library  # noqa: F401 - a fixture
from tests.functions.module_import.test_plan import SHAPES, TESTS
from tests.functions.views.conftest import as_person  # noqa: F401 - a fixture
from tests.support import builders as make
from tests.support.works import account

ONE = "# Two lines\n# of comment\ndef Solo(n):\n    return n + 1\n"
ONE_TEST = "from solo import Solo\n\ndef test_solo():\n    assert Solo(1) == 2\n"


def drafts_of(user: User) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for model in (Implementation, Test):
        works: Any = model.objects.filter(author=user, state="draft").order_by("id")
        found += [(work.noun, work.function.name, work.title) for work in works]
    return found


def test_what_comes_home_and_back_makes_drafts_that_pass(
    library: dict[str, Function],  # noqa: F811
) -> None:
    """Each test by itself: modules of tests may have names alike."""
    release = load_release(library["Multiply"], owner="somebody")
    root = "socialcode_multiply"
    known = {name_key(name): name for name in library}
    modules = {one.name: Module(one.name, one.code, one.uses) for one in release.bundle.pieces}
    tests = [path for path in release.files if path.startswith(f"{root}/tests/test_multiply_")]
    assert len(tests) == 6
    with Pool(1) as pool:
        for path in tests:
            plan = plan_import(
                release.files[f"{root}/multiply.py"],
                release.files[path],
                known=known,
                importable=IMPORTABLE,
            )
            (planned,) = plan.functions
            assert planned.uses == ("Add", "Double", "Halve", "IsOdd", "Negate")
            assert planned.code == release.bundle.subject.code
            modules["Multiply"] = Module("Multiply", planned.code, planned.uses)
            for test in planned.tests:
                named = tuple({"Multiply", *(uses for uses in library if uses in test.code)})
                last = Module("test", test.code, named)
                program = Program((*modules.values(), last), "test", "Multiply")
                assert pool.run(program).verdict == "passed", test.code


def test_what_is_here_word_for_word_is_not_made_again(
    library: dict[str, Function],  # noqa: F811
    as_person: Any,  # noqa: F811
) -> None:
    """The one file of an export has all that it uses, which is here: only what is new is made."""
    for model in (Implementation, Test):
        works: Any = model.objects
        for work in works.all():
            works.filter(pk=work.pk).update(source_sha256=source_hash(work.code))
    single = load_release(library["Multiply"], owner="somebody").single
    page = as_person("ida").post("/import/", {"module": single})
    html = page.content.decode()
    assert "0 functions, 0 tests" in html
    assert "This implementation of Multiply is published already." in html
    mine = "def test_mine():\n    assert Multiply(2, 2) == Double(2)\n"
    as_person("ida").post("/import/", {"module": single, "tests": mine, "make": "1"})
    assert drafts_of(account("ida")) == [("test", "Multiply", "mine")]
    assert "# Uses <<Double>>." in Test.objects.get(author=account("ida")).code
    called = "def Four():\n    return Double(2)\n"
    as_person("ida").post("/import/", {"module": called, "make": "1"})
    made = Implementation.objects.get(author=account("ida"))
    assert (made.function.name, made.code) == ("Four", f"# Uses <<Double>>.\n{called}")


def test_a_preview_makes_nothing_and_the_making_publishes_nothing(
    db: None,
    as_person: Any,  # noqa: F811
) -> None:
    make.function("Solo")
    ida: Client = as_person("ida")
    typed = {"module": ONE + "\n\ndef Other():\n    return Solo(1)\n", "tests": ONE_TEST}
    page = ida.post("/import/", {**typed, "preview": "1"})
    assert page.status_code == 200
    html = page.content.decode()
    assert "Preview" in html
    assert "This function exists" in html
    assert 'href="/functions/Solo/" title="Solo: not implemented">&lt;&lt;Solo&gt;&gt;</a>' in html
    assert drafts_of(account("ida")) == []
    done = ida.post("/import/", {**typed, "make": "1"})
    assert done["Location"] == "/drafts/"
    assert drafts_of(account("ida")) == [
        ("implementation", "Other", ""),
        ("implementation", "Solo", ""),
        ("test", "Solo", "solo"),
    ]
    assert Function.objects.get(name="Other").owner.username == "ida"
    assert not Dependency.objects.exists()


def test_a_preview_asks_as_much_of_the_database_for_ten_functions_as_for_one(
    db: None,
    as_person: Any,  # noqa: F811
) -> None:
    ida: Client = as_person("ida")
    numbers = []
    for count in (1, 1, 10):  # at first, things are read that are kept
        module = "".join(f"def f{n}():\n    return 1\n" for n in range(count))
        tests = "".join(f"def test_f{n}():\n    assert f{n}()\n" for n in range(count))
        with CaptureQueriesContext(connection) as queries:
            page = ida.post("/import/", {"module": module, "tests": tests})
        assert page.status_code == 200
        numbers.append(len(queries))
    assert numbers[1] == numbers[2] <= 8


def test_files_stand_in_the_fields_and_what_was_typed_is_kept_whatever_is_wrong(
    db: None,
    as_person: Any,  # noqa: F811
    client: Client,
) -> None:
    ida: Client = as_person("ida")
    sent = {"module_file": io.BytesIO(ONE.encode()), "tests": "def test_x():\n    assert 1\n"}
    page = ida.post("/import/", sent)
    assert page.status_code == 422
    html = page.content.decode()
    assert "of comment\ndef Solo(n)" in html
    assert "Line 1: test_x uses no function of the module" in html
    page = ida.post("/import/", {"module_file": io.BytesIO(b"\xff\xff"), "tests": ONE_TEST})
    assert "not text in UTF-8" in page.content.decode()
    # Signed out meanwhile: the text comes back.
    page = client.post("/import/", {"module": ONE, "make": "1"})
    assert page.status_code == 422
    assert "of comment\ndef Solo(n)" in page.content.decode()
    assert client.get("/import/")["Location"].startswith("/accounts/login/")
    assert not Function.objects.exists()


def test_everything_is_made_or_nothing(db: None, as_person: Any) -> None:  # noqa: F811
    """A name that published code spells otherwise is refused while functions are defined."""
    waiting = make.implementation(make.function("Waiting"), author=account("ida"))
    make.dependency(waiting, "Zeta", None)
    page = as_person("ida").post(
        "/import/", {"module": ONE + "def zeta():\n    pass\n", "make": "1"}
    )
    assert page.status_code == 422
    assert "Line 5: " in page.content.decode()
    assert not Function.objects.filter(name="Solo").exists()


def test_a_program_imports_in_the_same_way(db: None, tmp_path: Path) -> None:
    client = Client(headers={"Content-Type": "application/json"})
    client.force_login(account("ida"))
    sent = {"module": SHAPES, "tests": TESTS}
    planned = client.post("/api/v1/imports/preview/", sent, content_type="application/json")
    assert [one["name"] for one in planned.json()["functions"]][:2] == ["area", "perimeter"]
    assert not Function.objects.exists()
    made = client.post("/api/v1/imports/", sent, content_type="application/json")
    assert made.status_code == 201
    area = next(one for one in made.json()["functions"] if one["name"] == "area")
    assert (area["is_new"], len(area["tests"])) == (True, 2)
    assert Implementation.objects.get(pk=area["implementation"]).state == "draft"
    refused = client.post("/api/v1/imports/", {"module": "x"}, content_type="application/json")
    assert refused.json()["errors"][0]["code"] == "nothing_to_import"
    nobody = Client().post("/api/v1/imports/", sent, content_type="application/json")
    assert nobody.status_code == 401
