"""The first page: what happens now, what needs help, and a newcomer's next step."""

import pytest
from django.test import Client

from functions.models import Function
from functions.read_models.home import first_steps, pulse
from tests.support import builders as make

pytestmark = pytest.mark.django_db


def test_the_pulse_has_public_runs_what_needs_help_and_who_was_active() -> None:
    add = make.function("Add", dependents=3)
    make.function("Rare", dependents=1)
    mira, nora = make.user("mira"), make.user("nora")
    public = make.batch(add.topic, make.execution(), owner=mira)
    make.batch(add.topic, make.execution(), parent=public, owner=mira)
    draft = make.implementation(add, author=nora, state="draft")
    make.batch(draft.draft_topic, make.execution(), owner=nora, private=True)
    shown = pulse()
    assert [row.progress.id for row in shown.runs] == [public.pk]
    assert [row.function.name for row in shown.help] == ["Add", "Rare"]
    assert shown.people == ("mira",)
    page = Client().get("/pulse/").content.decode()
    assert 'id="pulse"' in page
    assert "3 functions wait for it" in page
    assert 'id="pulse"' in Client().get("/").content.decode()
    assert 'id="pulse"' not in Client().get("/?q=add").content.decode()


def test_a_newcomer_is_led_to_a_first_elected_implementation(client: Client) -> None:
    newcomer, function = make.user("newt"), make.function("Add")
    client.force_login(newcomer)

    def steps() -> tuple[bool, ...] | None:
        return first_steps(newcomer)

    assert steps() == (False, False)
    assert "Your first implementation" in client.get("/").content.decode()
    make.implementation(function, author=newcomer, state="draft")
    assert steps() == (True, False)
    work = make.implementation(function, author=newcomer)
    assert steps() == (True, True)
    make.elect(work)
    assert steps() is None
    assert "Your first implementation" not in client.get("/").content.decode()
    assert Function.objects.get().elected == work


def test_wanted_names_and_challenges_are_among_what_needs_help() -> None:
    top, author = make.function("Top"), make.user()
    work = make.implementation(top, code="# <<Lost>>")
    make.dependency(work, "Lost", None)
    test = make.test_of(top, author=author, title="of nothing", standing_cause="")
    make.test_of(top, author=author, standing_cause="accepted")
    make.test_of(top, author=author, state="draft")
    shown = pulse()
    assert [(one.name, one.waiting) for one in shown.wanted] == [("Lost", 1)]
    assert list(shown.challenges) == [test]
    page = Client().get("/").content.decode()
    assert "is wanted: nobody has defined it" in page
    assert "has a challenge: of nothing" in page
