"""Who is refused before what is wrong is looked at, and whose a deleted name is."""

from functions.models import Function
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make


def test_who_may_not_write_is_told_so_before_what_is_wrong_with_it(nobody: Caller) -> None:
    for body in ("{", '{"name": 1}', "x" * 3_000_000):
        assert_problem(nobody.post("/functions/", body), 401, "nobody")


def test_a_deleted_name_that_code_still_names_is_its_last_owners(
    mira: Caller, otto: Caller, staff: Caller, add: Function
) -> None:
    make.dependency(make.implementation(make.function("Multiply")), "Add", add)
    Function.objects.filter(pk=add.pk).update(deleted_at=make.SINCE)
    body = {"name": "Add", "signature": "", "description": ""}
    assert_problem(otto.post("/functions/", body), 403, "name_guarded")
    assert mira.post("/functions/", body).status_code == 201
    assert staff.get("/functions/Add/").json()["owner"] == "mira"
