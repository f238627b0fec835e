"""A function is renamed until something published uses its name."""

import pytest

from functions.acceptance import publish_acceptance_test, start_acceptance_test
from functions.authoring import delete_function, publish, withdraw
from functions.authoring.rename import is_name_used, rename_function
from functions.errors import Refusal
from functions.maintenance.verification import find_differences
from functions.models import AuditEntry, Dependency, Function
from functions.read_models.revisions import revision_list
from runner.workers.drainer import Drainer
from tests.support.threads import run_together
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
)

pytestmark = pytest.mark.django_db


def rename(function: Function, name: str, *, actor: str = "olga") -> Function:
    return rename_function(actor=account(actor), function=function, name=name)


def refusal_of(function: Function, name: str, *, actor: str = "olga") -> tuple[str, str]:
    with pytest.raises(Refusal) as refused:
        rename(function, name, actor=actor)
    return refused.value.code, refused.value.field


def test_it_gets_the_new_name_and_drafts_keep_their_text() -> None:
    add, other = define("Add"), define("Other")
    own = draft_implementation(add, constant("Add", 1))
    naming = draft_implementation(other, "# <<Add>>\n" + constant("Other", 1))
    assert rename(add, "Plus").name_key == "plus"
    rename(add, "PLUS")
    for draft, text in ((own, "def Add"), (naming, "# <<Add>>")):
        draft.refresh_from_db()
        assert draft.code.startswith(text)
    assert own.function.name == "PLUS"
    assert define("Add", owner="eve").owner.username == "eve"  # the former name is free
    labels = AuditEntry.objects.order_by("id").values_list("act", "label")
    assert list(labels) == [("renamed", "Add → Plus"), ("renamed", "Plus → PLUS")]
    names = [row.name for row in revision_list(own.function).rows]
    assert names == ["PLUS", "Plus", "Add"]  # each change of the definition is kept


def test_once_something_published_uses_the_name_it_stays_even_if_that_is_withdrawn() -> None:
    own, tested, named, free = (define(name) for name in ("Own", "Tested", "Named", "Free"))
    work = implement(own, constant("Own", 1))
    publish_test(tested, "assert Tested()")
    test = publish_test(define("Other"), "# <<named>>\n".replace("named", "Named") + "assert 1")
    assert [is_name_used(one) for one in (own, tested, named, free)] == [True, True, True, False]
    withdraw(actor=work.author, work=work)
    withdraw(actor=test.author, work=test)
    for used in (own, tested, named):
        assert refusal_of(used, "Elsewhere") == ("name_in_use", "name")
    delete_function(actor=account("olga"), function=test.function)
    rename(named, "Elsewhere")  # what named it is gone


def test_a_published_acceptance_test_uses_the_names_that_it_marks() -> None:
    base, top, marked = define("Base"), define("Top"), define("Marked")
    implement(top, "# <<Base>>\n" + constant("Top", 1))
    olga = account("olga")
    test = start_acceptance_test(
        actor=olga, function=top, target="Base", code="# <<Marked>> Unmarked\nassert Base()"
    )
    rename(define("Unmarked"), "Other")
    assert not is_name_used(marked)
    publish_acceptance_test(actor=olga, test=test)
    assert is_name_used(marked)
    assert is_name_used(base)
    assert not is_name_used(define("Unmarked"))


def test_a_bad_taken_or_guarded_name_is_refused_as_when_defining() -> None:
    add = define("Add")
    define("Taken")
    guarded = define("Guarded", owner="otto")
    implement(define("Top"), "# <<Guarded>>\n# <<Waited>>\n" + constant("Top", 1))
    delete_function(actor=account("otto"), function=guarded)
    for name, code in (
        ("not a name", "invalid_name"),
        ("print", "reserved_name"),
        ("TAKEN", "name_taken"),
        ("Guarded", "name_guarded"),
        ("waited", "invalid_name"),
    ):
        assert refusal_of(add, name) == (code, "name")
    assert Function.objects.get(pk=add.pk).name == "Add"


def test_a_name_is_guarded_for_who_bore_it_last_though_it_had_another_name_before() -> None:
    first, add = define("First", owner="otto"), define("Add", owner="olga")
    delete_function(actor=account("olga"), function=add)
    rename(first, "Add", actor="otto")
    implement(define("Top"), "# <<Add>>\n" + constant("Top", 1))
    delete_function(actor=account("otto"), function=first)
    with pytest.raises(Refusal) as refused:
        define("Add", owner="olga")
    assert refused.value.code == "name_guarded"
    assert define("Add", owner="otto").owner.username == "otto"


@pytest.mark.django_db(transaction=True)
def test_published_code_that_waits_for_the_new_name_is_bound_and_judged(worker: Drainer) -> None:
    top = define("Top")
    work = implement(top, "# <<Plus>>\n" + constant("Top", 1))
    add = define("Add")
    worker.drain()
    rename(add, "Plus")
    worker.drain()
    work.refresh_from_db()
    assert work.standing_reason == "blocked: Plus is not implemented"
    implement(add, constant("Plus", 1))
    worker.drain()
    top.refresh_from_db()
    assert top.status == "implemented"
    assert list(find_differences()) == []


@pytest.mark.django_db(transaction=True)
def test_naming_it_while_it_is_renamed_either_binds_it_or_stops_the_renaming() -> None:
    add, draft = define("Add"), draft_implementation(define("Top"), "# <<Add>>\n")
    draft.code += constant("Top", 1)
    draft.save()

    def name_or_rename(what: str) -> str:
        try:
            if what == "rename":
                rename(add, "Plus")
            else:
                publish(actor=draft.author, draft=draft)
        except Refusal as refusal:
            return refusal.code
        return ""

    renamed, named = run_together(name_or_rename, ["rename", "name"])
    add.refresh_from_db()
    target = Dependency.objects.get().target
    assert named == ""
    assert (renamed, add.name, target) in [("name_in_use", "Add", add), ("", "Plus", None)]
