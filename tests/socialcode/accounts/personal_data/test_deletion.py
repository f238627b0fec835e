"""Deleting an account: what is gone, what stays, and who may."""

from io import StringIO
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from functions.errors import Conflict
from functions.models import Comment, Function, Implementation, Test, Vote
from functions.moderation.ownership import transfer_function
from functions.people.deleted_accounts import DELETED_USER
from runner.pipelines.follow_ups import run_due_follow_ups
from socialcode.accounts.models import DeletedAccount
from socialcode.accounts.names.rules import check_username
from socialcode.accounts.personal_data import erasure
from socialcode.accounts.personal_data.deletion import delete_account
from socialcode.accounts.personal_data.records import Fate, installed
from socialcode.accounts.suspensions import suspend
from socialcode.accounts.tokens import create_token, user_of_token
from tests.functions.api.conftest import Caller, assert_problem
from tests.socialcode.accounts.personal_data.conftest import ADDRESS, NAME, PASSWORD
from tests.support import builders as make
from tests.support.pages import Rows
from tests.support.proofs import prove

pytestmark = pytest.mark.django_db(transaction=True)

KEPT, WITHDRAWN = DeletedAccount.Work.KEPT, DeletedAccount.Work.WITHDRAWN


@pytest.fixture(autouse=True)
def last_look_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasure, "LAST_LOOK_AFTER", erasure.LAST_LOOK_AFTER * 0)


def delete(person: User, work: DeletedAccount.Work = KEPT) -> None:
    delete_account(actor=person, work=work)
    run_due_follow_ups()


def tables_with(text: str) -> set[str]:
    """Return the tables in which some row has this text anywhere."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            select = f'select 1 from "{table}" t where strpos(lower(t::text), %s) > 0'  # noqa: S608
            cursor.execute(select, [text])
            if cursor.fetchone():
                found.add(table)
    return found


@pytest.mark.parametrize("work", [KEPT, WITHDRAWN])
def test_name_and_address_are_nowhere_any_more(
    rows: Rows, zebedee: User, work: DeletedAccount.Work
) -> None:
    other = make.user("ida")
    transfer_function(
        actor=make.user("root", is_staff=True), function=rows.crowd, to=other.username
    )
    transfer_function(actor=User.objects.get(username="root"), function=rows.crowd, to=NAME)
    run_due_follow_ups()
    assert {"auth_user", "functions_digest", "runner_batch"} <= tables_with(NAME) | tables_with(
        ADDRESS
    )
    delete(zebedee, work)
    # Events are removed when they are some days old.
    assert tables_with(NAME) | tables_with(ADDRESS) <= {"runner_event", "runner_outboxevent"}
    assert not DeletedAccount.objects.filter(finished_at=None).exists()
    for record in installed(Fate.ERASED, Fate.ERASED_SOON):
        assert not record.rows.filter(**{record.field: zebedee.pk}).exists(), record


def test_work_that_is_kept_stays_as_it_was(rows: Rows, zebedee: User) -> None:
    before = Function.objects.get(pk=rows.crowd.pk)
    shown = set(Implementation.objects.exclude(state="draft").values_list("pk", "state"))
    votes = Vote.objects.filter(voter=zebedee).count()
    delete(zebedee)
    assert set(Implementation.objects.values_list("pk", "state")) == shown
    assert Vote.objects.filter(voter=zebedee).count() == votes
    after = Function.objects.get(pk=rows.crowd.pk)
    assert (after.elected_id, after.owner_id) == (before.elected_id, zebedee.pk)
    page = Client().get("/functions/Crowd/?open=I1").content.decode()
    assert "deleted user" in page
    assert "/people/deleted" not in page
    assert "/people/deleted" not in Client().get("/?sort=changed").content.decode()
    assert Client().get(f"/people/{NAME}/").status_code == 404
    name = User.objects.get(pk=zebedee.pk).username
    assert Client().get(f"/people/{name}/").status_code == 404
    assert Caller().get("/functions/Crowd/").json()["owner"] == name


def test_work_that_is_withdrawn_follows_the_rules(zebedee: User) -> None:
    own, shared = make.function("Own", owner=zebedee), make.function("Shared", owner=zebedee)
    mine = [make.implementation(one, author=zebedee) for one in (own, shared)]
    others = make.implementation(shared)
    for work in mine:
        make.elect(work)
    test = make.test_of(make.function("Foreign"), author=zebedee)
    liked = make.test_of(make.function(), score=1)
    Vote.objects.create(voter=zebedee, test=liked, value=1)
    said = Comment.objects.create(function=shared, author=zebedee, text="Mine")
    answer = Comment.objects.create(function=shared, author=others.author, text="No", parent=said)
    delete(zebedee, WITHDRAWN)
    mine[1].refresh_from_db()
    test.refresh_from_db()
    assert (mine[1].state, test.state) == ("withdrawn", "withdrawn")
    others.refresh_from_db()
    assert others.state == "published"
    assert not Vote.objects.filter(voter=zebedee).exists()
    for comment in (said, answer):
        comment.refresh_from_db()
    assert (said.text, bool(said.deleted_at), answer.text) == ("", True, "No")
    # What nobody else has worked on goes; the rest waits for staff to find it an owner.
    kept = set(
        Function.objects.filter(owner=zebedee, deleted_at=None).values_list("name", flat=True)
    )
    assert kept == {"Shared"}
    new = make.user("heir")
    transfer_function(actor=make.user(is_staff=True), function=shared, to="heir")
    assert Function.objects.get(pk=shared.pk).owner == new


def test_tokens_sessions_and_agents_end_at_once(rows: Rows, zebedee: User) -> None:
    token, agents = create_token(user=zebedee)[1], create_token(user=zebedee.agents.get().user)[1]
    client = Client()
    client.force_login(zebedee)
    delete_account(actor=zebedee, work=KEPT)
    assert (user_of_token(token), user_of_token(agents)) == (None, None)
    assert client.get("/accounts/tokens/").status_code == 302
    assert not client.login(username=NAME, password=PASSWORD)


@pytest.mark.parametrize("name", [NAME, "Zebedee.Quill", "zebedee-quill", "helper"])
def test_nobody_takes_the_name(rows: Rows, zebedee: User, name: str, settings: Any) -> None:
    delete(zebedee)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    if name == "helper":
        assert_problem(Caller(make.user()).post("/agents/", {"name": name}), 409, "name_taken")
        return
    with pytest.raises(ValidationError):
        check_username(name)


def test_the_only_superuser_stays() -> None:
    one = make.user("root", is_superuser=True, is_staff=True)
    with pytest.raises(Conflict, match="only superuser"):
        delete(one)
    make.user("gone", is_superuser=True, is_active=False)
    with pytest.raises(Conflict, match="only superuser"):
        delete(one)
    make.user("second", is_superuser=True)
    delete(one)
    assert User.objects.filter(is_superuser=True, is_active=True).get().username == "second"
    assert not User.objects.get(pk=one.pk).is_staff


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({}, 422),
        ({"work": "kept"}, 422),
        ({"work": "burnt", "password": PASSWORD}, 422),
        ({"work": "kept", "password": "wrong"}, 422),
        ({"work": "kept", "name": NAME}, 422),
        ({"work": "withdrawn", "password": PASSWORD}, 200),
    ],
)
def test_the_page_asks_for_the_password(zebedee: User, form: Any, status: int) -> None:
    client = Client()
    client.force_login(zebedee)
    assert "Withdraw it" in client.get("/accounts/delete/").content.decode()
    assert client.post("/accounts/delete/", form).status_code == status
    assert DeletedAccount.objects.exists() == (status == 200)
    assert User.objects.get(pk=zebedee.pk).is_active == (status != 200)


def test_without_a_password_it_asks_for_another_proof_and_the_name(zebedee: User) -> None:
    zebedee.set_unusable_password()
    zebedee.save()
    client = Client()
    client.force_login(zebedee)
    form = {"work": "kept", "name": NAME}
    answer = client.post("/accounts/delete/", form)
    assert answer.status_code == 403
    assert "Set one by a mail" in answer.content.decode()
    SocialAccount.objects.create(user=zebedee, provider="work", uid="zeb")
    asked = client.post("/accounts/delete/", form)
    assert asked["Location"].startswith("/accounts/reauthenticate/provider/")
    prove(client)
    answer = Caller(zebedee).post("/account/deletion/", {"work": "kept", "password": ""})
    assert_problem(answer, 403, "no_password")
    assert client.post("/accounts/delete/", {"work": "kept", "name": "zeb"}).status_code == 422
    assert client.post("/accounts/delete/", {"work": "kept", "name": NAME}).status_code == 200
    assert client.get("/accounts/delete/").status_code == 302


def test_a_program_needs_the_password_too(zebedee: User) -> None:
    caller = Caller(zebedee)
    answer = caller.post("/account/deletion/", {"work": "kept", "password": "wrong"})
    assert_problem(answer, 422, "wrong_password")
    answer = caller.post("/account/deletion/", {"work": "kept", "password": PASSWORD})
    assert answer.status_code == 204
    assert not User.objects.get(pk=zebedee.pk).is_active


def test_an_operator_deletes_for_who_cannot_sign_in(zebedee: User) -> None:
    suspend(actor=make.user("root", is_superuser=True, is_staff=True), username=NAME, reason="Spam")
    call_command("delete_account", NAME, "kept", stdout=StringIO())
    assert User.objects.get(pk=zebedee.pk).username.startswith(DELETED_USER)
    with pytest.raises(CommandError, match="no account"):
        call_command("delete_account", NAME, "kept")


def test_tests_of_a_deleted_owner_keep_their_standing(zebedee: User) -> None:
    own = make.function("Own", owner=zebedee)
    test = make.test_of(own, author=zebedee, standing_cause="owner")
    delete(zebedee)
    row = Test.objects.get(pk=test.pk)
    assert (row.standing_cause, row.counts, row.author_id) == ("owner", True, own.owner_id)
