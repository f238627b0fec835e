"""Functions come into being, are described anew, and go; bad names get clear answers."""

from threading import Barrier

import pytest

from functions.authoring import define_function, delete_function, revise_function
from functions.errors import Conflict
from functions.models import Dependency, Function, FunctionRevision
from tests.patience import PATIENCE_SECONDS
from tests.support.refusals import refusal_of
from tests.support.threads import run_together
from tests.support.works import account, constant, define, draft_implementation, implement

pytestmark = pytest.mark.django_db


def test_a_function_is_owned_by_who_defines_it() -> None:
    function = define_function(
        actor=account("olga"), name="Add", signature="(a, b)", description="*Sums.*"
    )
    assert (function.owner.username, function.status) == ("olga", "not_implemented")
    assert FunctionRevision.objects.get(function=function).description == "*Sums.*"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("not a name", "invalid_name"),
        ("class", "reserved_name"),
        ("print", "reserved_name"),
        ("check", "reserved_name"),
        ("math", "reserved_name"),
        ("A\0", "invalid_name"),
        ("A\x1b", "invalid_name"),
        ("\ud800", "invalid_name"),
    ],
)
def test_a_bad_name_is_refused_at_its_field(name: str, code: str) -> None:
    refusal = refusal_of(lambda: define(name))
    assert (refusal.code, refusal.field, refusal.status) == (code, "name", 422)
    assert not Function.objects.exists()


def test_a_name_taken_in_another_case_is_a_conflict_that_says_the_spelling() -> None:
    define("Add")
    refusal = refusal_of(lambda: define("ADD"))
    assert isinstance(refusal, Conflict)
    assert (refusal.code, refusal.status, refusal.field) == ("name_taken", 409, "name")
    assert "There is a function Add already" in refusal.message


@pytest.mark.parametrize(
    ("given", "field", "code"),
    [
        ({"signature": "x" * 501}, "signature", "too_long"),
        ({"description": "x" * 20_001}, "description", "too_long"),
        ({"signature": "(\0)"}, "signature", "invalid_character"),
        ({"description": "one\ntwo \udfff"}, "description", "invalid_character"),
        ({"kind": "planet"}, "kind", "invalid_kind"),
        ({"language": "cobol"}, "language", "invalid_language"),
    ],
)
def test_a_bad_definition_is_refused_at_its_field(
    given: dict[str, str], field: str, code: str
) -> None:
    refusal = refusal_of(lambda: define_function(actor=account("olga"), name="Add", **given))
    assert (refusal.code, refusal.field) == (code, field)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_define_a_name_at_once_one_gets_it() -> None:
    owners = [account(f"owner{n}").username for n in range(4)]
    barrier = Barrier(len(owners), timeout=PATIENCE_SECONDS)

    def attempt(owner: str) -> str:
        barrier.wait()
        try:
            return define("Add" if owner < "owner2" else "add", owner=owner).name
        except Conflict as conflict:
            return conflict.code

    outcomes = run_together(attempt, owners)
    assert sorted(outcomes)[1:] == ["name_taken"] * 3 or outcomes.count("name_taken") == 3
    assert Function.objects.count() == 1


def test_every_change_of_a_definition_is_kept() -> None:
    function = define("Add")
    revise_function(
        actor=account("olga"), function=function, signature="(a, b)", description="Sums."
    )
    function.refresh_from_db()
    assert (function.signature, function.description) == ("(a, b)", "Sums.")
    assert FunctionRevision.objects.filter(function=function).count() == 2


def test_a_definition_that_says_the_same_is_no_revision() -> None:
    function = define("Add")
    revise_function(actor=account("olga"), function=function, signature="(*args)", description="")
    assert FunctionRevision.objects.filter(function=function).count() == 1


def test_a_name_defined_at_last_is_bound_by_what_names_it() -> None:
    double = define("Double")
    implement(double, "# <<Add>>\ndef Double(a):\n    return Add(a, a)\n")
    assert Dependency.objects.get().target is None
    add = define("Add")
    assert Dependency.objects.get().target == add


def test_a_name_is_spelled_as_the_first_published_code_that_names_it_spells_it() -> None:
    draft_implementation(define("Draft"), "# <<ADD>>\n")
    implement(define("One"), "# <<aDD>>\n" + constant("One", 1))
    refusal = refusal_of(lambda: define("Add"))
    assert (refusal.code, refusal.status, refusal.field) == ("invalid_name", 422, "name")
    assert "Define it as aDD." in refusal.message
    assert define("aDD").name == "aDD"
    refusal = refusal_of(lambda: define("Add"))
    assert (refusal.code, "There is a function aDD" in refusal.message) == ("name_taken", True)


def test_a_deleted_name_that_is_still_imported_is_guarded() -> None:
    add = define("Add", owner="olga")
    implement(define("Double"), "# <<Add>>\n" + constant("Double", 1))
    delete_function(actor=account("olga"), function=add)
    assert Dependency.objects.get().target is None
    refusal = refusal_of(lambda: define("ADD", owner="eve"))
    assert (refusal.code, refusal.status, refusal.field) == ("name_guarded", 403, "name")
    assert "olga" in refusal.message
    again = define("Add", owner="olga")
    assert Dependency.objects.get().target == again


def test_staff_may_define_a_guarded_name() -> None:
    add = define("Add", owner="olga")
    implement(define("Double"), "# <<Add>>\n" + constant("Double", 1))
    delete_function(actor=account("olga"), function=add)
    account("root", is_staff=True)
    assert define("Add", owner="root").owner.username == "root"


def test_a_deleted_name_that_nothing_imports_is_free() -> None:
    delete_function(actor=account("olga"), function=define("Add", owner="olga"))
    assert define("Add", owner="eve").owner.username == "eve"


def test_a_function_is_deleted_once() -> None:
    add = define("Add")
    delete_function(actor=account("olga"), function=add)
    refusal = refusal_of(lambda: delete_function(actor=account("olga"), function=add))
    assert (refusal.code, refusal.status) == ("function_deleted", 409)
