"""The sample library, loaded and really run, comes out as it promises."""

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.db.models import QuerySet

from functions.authoring import delete_function
from functions.contests.rules import PASSED
from functions.maintenance.sample_library import (
    ACCOUNTS,
    LIBRARY,
    UNFINISHED,
    have_challenges_to_load,
    load_samples,
    read_library,
)
from functions.maintenance.verification import find_differences
from functions.models import (
    Cell,
    Dependency,
    Election,
    Function,
    Implementation,
    Test,
    Usage,
    Vote,
    Work,
)
from functions.read_models.undefined_names import wanted_names
from functions.voting.votes import cast_vote
from runner.workers.drainer import Drainer

pytestmark = pytest.mark.django_db(transaction=True)


def say_nothing(_: str) -> None:
    """Report to nobody."""


@pytest.fixture
def small_library(tmp_path: Path) -> Path:
    """Take a few functions of the library."""
    for name in ("Add", "Double", "Subtract", "Negate"):
        shutil.copytree(LIBRARY / "arithmetic" / name, tmp_path / "arithmetic" / name)
    return tmp_path


def counts() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Function, Implementation, Test, Vote, User))


def expectations() -> list[tuple[str, str, str, str]]:
    """List what the library promises: function, title, expected standing, expected verdict."""
    promised = []
    for file in sorted(LIBRARY.glob("*/*/function.toml")):
        top = tomllib.loads(file.read_text(encoding="utf-8"))
        promised += [
            (top["name"], work["title"], work["expect"], work.get("expect_verdict", ""))
            for work in top["implementations"]
        ]
    return promised


def elections() -> dict[str, str]:
    """List the titles that must be elected, where the library says which."""
    tops = [
        tomllib.loads(file.read_text(encoding="utf-8"))
        for file in LIBRARY.glob("*/*/function.toml")
    ]
    return {
        top["name"]: work["title"]
        for top in tops
        for work in top["implementations"]
        if work["file"] == top.get("elected")
    }


def test_samples_are_judged_and_elected_as_the_library_expects(worker: Drainer) -> None:
    load_samples(report=say_nothing, libraries=[LIBRARY])
    worker.drain()
    assert list(find_differences()) == []
    assert Function.objects.count() == len(list(LIBRARY.glob("*/*/function.toml")))
    assert not Function.objects.exclude(status="implemented", untested=False, judging=False)
    works = {
        (work.function.name, work.title): work
        for work in Implementation.objects.select_related("function__elected")
    }
    for name, title, standing, verdict in expectations():
        work = works[name, title]
        assert work.standing == standing, (name, title, work.standing_reason)
        cells = Cell.objects.filter(implementation=work).exclude(verdict=PASSED)
        found = set(cells.values_list("verdict", flat=True))
        assert found == ({verdict} if verdict else set()), (name, title)
    for name, title in elections().items():
        assert works[name, title].function.elected == works[name, title], name
    circles = Function.objects.exclude(circle=[]).values_list("name", "circle")
    assert dict(circles) == {
        name: ["HofstadterFemale", "HofstadterMale"]
        for name in ("HofstadterFemale", "HofstadterMale")
    }


def test_loading_again_changes_nothing(db: None, small_library: Path) -> None:
    assert load_samples(report=say_nothing, libraries=[small_library]) > 0
    before = counts()
    assert load_samples(report=say_nothing, libraries=[small_library]) == 0
    assert counts() == before


def test_loading_goes_on_where_it_was_killed(db: None, small_library: Path) -> None:
    class Killed(Exception):
        """Stands for the end of the process."""

    def die_at_the_second(text: str) -> None:
        if text.startswith("2 of"):
            raise Killed

    with pytest.raises(Killed):
        load_samples(report=die_at_the_second, libraries=[small_library])
    assert Function.objects.count() == 2
    load_samples(report=say_nothing, libraries=[small_library])
    assert Function.objects.count() == 4
    for model in (Implementation, Test):
        assert not model.objects.exclude(state=Work.State.PUBLISHED).exists()
        titles = list(model.objects.values_list("function", "title"))
        assert len(titles) == len(set(titles))


def test_functions_come_after_those_that_they_use(db: None, small_library: Path) -> None:
    load_samples(report=say_nothing, libraries=[small_library])
    names = list(Function.objects.order_by("id").values_list("name", flat=True))
    assert names.index("Add") < names.index("Double")
    assert not Dependency.objects.filter(target=None).exists()


def test_what_people_changed_since_is_left_as_it_is(db: None, small_library: Path) -> None:
    load_samples(report=say_nothing, libraries=[small_library])
    double = Function.objects.get(name="Double")
    delete_function(actor=double.owner, function=double)
    vote = Vote.objects.filter(implementation__function__name="Add").exclude(value=0)[0]
    assert vote.implementation
    cast_vote(actor=vote.voter, work=vote.implementation, value=0)
    assert load_samples(report=say_nothing, libraries=[small_library]) == 0
    assert not Function.objects.filter(name="Double", deleted_at=None).exists()
    vote.refresh_from_db()
    assert vote.value == 0


def test_nobody_can_sign_in_as_a_sample_account(db: None, small_library: Path) -> None:
    load_samples(report=say_nothing, libraries=[small_library])
    accounts = User.objects.filter(username__in=ACCOUNTS)
    assert len(accounts) == len(ACCOUNTS)
    assert not any(account.has_usable_password() for account in accounts)


def test_verify_says_what_differs_and_fails(
    worker: Drainer, small_library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load_samples(report=say_nothing, libraries=[small_library])
    worker.drain()
    call_command("verify")
    assert capsys.readouterr().out == "No differences.\n"
    Implementation.objects.filter(function__name="Add", number=1).update(score=99, passed=0)
    with pytest.raises(SystemExit) as ended:
        call_command("verify")
    assert ended.value.code == 1
    said = capsys.readouterr().out
    assert "Add implementation #1: score is 99" in said
    assert "Add #1: passed is 0" in said


def test_verify_tells_of_every_field_that_says_what_another_says(
    worker: Drainer, small_library: Path
) -> None:
    load_samples(report=say_nothing, libraries=[small_library])
    worker.drain()

    def said_of(rows: QuerySet[Any], **wrong: Any) -> str:
        """Have these rows say something wrong, and return what verify says of it."""
        with transaction.atomic():
            rows.update(**wrong)
            told = list(find_differences())
            transaction.set_rollback(True)
        return "\n".join(told)

    double = Function.objects.filter(name="Double")
    work = Implementation.objects.get(function__name="Double", number=1)
    works = Implementation.objects.filter(pk=work.pk)
    tests = Test.objects.filter(function__name="Double")
    links = Dependency.objects.filter(implementation=work)
    assert "Double #1: standing_reason is 'so'" in said_of(works, standing_reason="so")
    assert "Double #1: cpu_us is 7" in said_of(works, cpu_us=7)
    assert "its hash is not that of its code" in said_of(works, source_sha256=b"x" * 32)
    assert "Double T1: reason is 'so'" in said_of(tests, reason="so")
    assert "Double #1: depends on add (missing)" in said_of(links, target=None)
    assert "its code marks add" in said_of(links, name_key="sub")
    assert "Double: dependents is 9" in said_of(
        Usage.objects.filter(function__in=double), dependents=9
    )
    assert "Double: differs from its last" in said_of(double, description="Another.")
    assert "Double: its name key is twice" in said_of(double, name_key="twice")
    assert "its last recorded election has None" in said_of(Election.objects.all(), elected=None)
    assert list(find_differences()) == []


def test_unfinished_samples_are_as_unfinished_as_they_say(worker: Drainer) -> None:
    load_samples(report=say_nothing, libraries=[UNFINISHED])
    assert have_challenges_to_load([UNFINISHED])
    worker.drain()
    assert load_samples(report=say_nothing, libraries=[UNFINISHED]) == 1
    assert not have_challenges_to_load([UNFINISHED])
    worker.drain()
    tops = [tomllib.loads(file.read_text("utf-8")) for file in UNFINISHED.glob("*/*/function.toml")]
    statuses = dict(Function.objects.values_list("name", "status"))
    assert statuses == {top["name"]: top["expect_status"] for top in tops}
    wanted = {one.name: one.waiting for one in wanted_names().rows}
    assert wanted == {"CountSyllables": 1, "VerenaHug": 1}
    challenge = Test.objects.get(function__name="MostCommon", standing_cause="")
    cell = Cell.objects.get(test=challenge, implementation__function__name="MostCommon")
    assert cell.verdict == "failed"
    words_of = Implementation.objects.get(function__name="NumberToWords")
    assert 0 < words_of.passed < words_of.counting
    waiting = Implementation.objects.get(function__name="ReadingEase")
    assert waiting.standing == "blocked"
    slow = Implementation.objects.get(function__name="CountPrimes")
    quick = Implementation.objects.get(function__name="MostCommon")
    assert slow.cpu_us
    assert quick.cpu_us
    assert slow.cpu_us > 4 * quick.cpu_us
    assert load_samples(report=say_nothing, libraries=[UNFINISHED]) == 0


def test_all_samples_have_names_of_their_own() -> None:
    names = [one.name.lower() for library in (LIBRARY, UNFINISHED) for one in read_library(library)]
    assert len(names) == len(set(names))
    wanted = {"countsyllables", "verenahug"}
    assert wanted.isdisjoint(names)
