"""An application: what a page is made of, who wrote it, and what needs help."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.models import (
    AcceptanceTest,
    Chase,
    Collection,
    Dependency,
    Function,
    Implementation,
    Test,
)
from functions.read_models.application import MAX_PIECES, Application, application
from tests.support import builders as make

pytestmark = pytest.mark.django_db

NOBODY = AnonymousUser()
LIST = "{# <<Counts>> <<Gone>> #}{# collection Tasks?done=false #}{# collection Secrets #}"


def collection(name: str, **fields: Any) -> Collection:
    return Collection.objects.create(
        **{"name": name, "name_key": name.lower(), "owner": make.user(), **fields}
    )


@pytest.fixture
def ana() -> User:
    return make.user("ana")


@pytest.fixture
def page(ana: User) -> Function:
    """A page that uses a function, which uses two, and a missing name."""
    page = make.function("List", owner=ana, kind="page")
    work = make.implementation(page, author=ana, code=LIST)
    counts = make.function("Counts")
    for name, target in (("Counts", counts), ("Gone", None)):
        make.dependency(work, name, target)
    make.elect(work, untested=False)
    current = make.implementation(counts, author=make.user("ben"), score=3)
    for name in ("Sum", "Sort"):
        make.dependency(current, name, make.function(name))
    make.elect(current, untested=False)
    for function in (page, page, counts, counts):
        make.test_of(function, author=ana)
    for name in ("Sum", "Sort"):
        function = Function.objects.get(name=name)
        make.elect(make.implementation(function, author=ana), untested=False)
        for _ in range(2):
            make.test_of(function, author=User.objects.get(username="ben"))
    # What isn't current is no part of it.
    make.dependency(make.implementation(counts), "Elsewhere", make.function("Elsewhere"))
    return page


def needs(shown: Application) -> list[tuple[str, str, str]]:
    return [(str(need.task), need.function, need.subject) for need in shown.needs]


def test_the_pieces_are_the_closure_with_who_wrote_what(page: Function) -> None:
    shown = application(page, NOBODY)
    pieces = {piece.link.name: piece for piece in shown.pieces}
    assert list(pieces) == ["List", "Counts", "Sum", "Sort", "Gone"]
    counts, gone = pieces["Counts"], pieces["Gone"]
    assert (counts.author, counts.link.score, counts.tests) == ("ben", 3, 2)
    assert (counts.used_by, counts.test_authors) == (("List",), ("ana",))
    assert (gone.link.status, gone.used_by) == ("missing", ("List",))
    people = [(one.name, one.implementations, one.tested, one.tests) for one in shown.people]
    assert people == [
        ("ana", ("List", "Sum", "Sort"), ("List", "Counts"), 4),
        ("ben", ("Counts",), ("Sum", "Sort"), 4),
    ]
    assert shown.is_all


def test_a_piece_without_a_current_implementation_leads_to_what_its_candidates_name(
    page: Function,
) -> None:
    wanted = make.function("Wanted")
    Dependency.objects.filter(name="Gone").update(target=wanted)
    candidate, draft = make.implementation(wanted), make.implementation(wanted, state="draft")
    make.dependency(candidate, "Tried", make.function("Tried"))
    make.dependency(draft, "Secret", make.function("Secret"))
    names = {piece.link.name for piece in application(page, NOBODY).pieces}
    assert names == {"List", "Counts", "Sum", "Sort", "Wanted", "Tried"}


def test_each_need_says_where_it_is_met(page: Function, client: Client) -> None:
    named = {name: Function.objects.get(name=name) for name in ("Counts", "Sum", "Sort")}
    Test.objects.filter(function=named["Sum"]).first().delete()  # type: ignore[union-attr]
    Test.objects.filter(function=named["Sort"]).delete()
    failing = [make.implementation(named["Counts"], standing="failing") for _ in range(2)]
    make.implementation(named["Counts"], standing="failing", state="withdrawn")
    dares = {"counts": False, "standing_cause": "", "standing_since": None}
    challenge = make.test_of(named["Counts"], **dares)
    make.test_of(named["Counts"], **dares, acceptable=False)
    make.test_of(named["Counts"], **dares, score=-1)
    make.test_of(named["Counts"], **dares, state="draft")
    broken = make.test_of(named["Counts"], **dares, health="broken")
    accepted = {"function": make.function("User"), "author": make.user(), "state": "published"}
    refusing = AcceptanceTest.objects.create(**accepted, target=named["Sum"], verdict="failed")
    AcceptanceTest.objects.create(**accepted, target=named["Sum"], verdict="passed")
    chase = Chase.objects.create(names=["Sort", "Other"], tests=[], bases={}, began=1)
    Function.objects.filter(name="Sort").update(chase=chase, status="blocked", blocked_by="Low")
    Function.objects.filter(name="Sum").update(status="not_implemented", elected=None)
    shown = application(page, NOBODY)
    assert needs(shown) == [
        ("define", "Gone", ""),
        ("implement", "Sum", ""),
        ("unblock", "Sort", "Low"),
        ("find_collection", "List", "Tasks"),
        ("find_collection", "List", "Secrets"),
        ("settle", "Sort", "Other"),
        ("meet_challenge", "Counts", str(challenge)),
        ("accept", "Sum", "User"),
        ("repair_test", "Counts", str(broken)),
        ("test", "Sort", ""),
        ("test_more", "Sum", ""),
        ("repair", "Counts", str(failing[-1])),
    ]
    assert [need.url for need in shown.needs] == [
        "/functions/Gone/",
        "/functions/Sum/implementations/new/",
        "/functions/Low/",
        "/collections/new/?name=Tasks",
        "/collections/new/?name=Secrets",
        "/functions/Sort/why/",
        f"/functions/Counts/#{challenge}",
        f"/acceptance-tests/{refusing.pk}/",
        f"/functions/Counts/#{broken}",
        "/functions/Sort/tests/new/",
        "/functions/Sum/tests/new/",
        f"/functions/Counts/#I{failing[-1].number}",
    ]
    by_piece = {piece.link.name: [str(need.task) for need in piece.needs] for piece in shown.pieces}
    assert by_piece["Sum"] == ["implement", "test_more", "accept"]
    told = client.get("/functions/List/application/").content.decode()
    for need in shown.needs:
        assert f'href="{need.url}"' in told


def test_collections_are_those_that_it_reads_and_those_that_list_it(
    page: Function, ana: User, client: Client
) -> None:
    owner = make.user("olga")
    collection("Tasks", owner=owner, may_read="signed_in", pages=["list"])
    collection("Secrets", owner=owner, may_read="owner")
    collection("Journal", owner=owner, pages=["Other", "List"])
    collection("Hidden", owner=owner, may_read="owner", pages=["List"])
    collection("Members", owner=owner, may_read="signed_in", pages=["List"])
    collection("Other", owner=owner, pages=["List2"])

    def found(actor: Any) -> dict[str, tuple[bool, tuple[str, ...], bool]]:
        return {
            stored.name: (stored.collection is not None, stored.queries, stored.changes)
            for stored in application(page, actor).collections
        }

    for_visitors = {
        "Tasks": (True, ("done=false",), True),
        "Secrets": (False, ("",), False),
        "Journal": (True, (), True),
    }
    members = {"Members": (True, (), True)}
    assert found(NOBODY) == for_visitors
    assert found(ana) == for_visitors | members
    assert found(owner) == for_visitors | members | {
        "Secrets": (True, ("",), False),
        "Hidden": (True, (), True),
    }
    told = client.get("/functions/List/application/").content.decode()
    assert "Hidden" not in told
    assert "/collections/Secrets/" not in told
    # What only its owner sees needs its owner's word.
    assert ("list_page", "List", "Secrets") in needs(application(page, owner))
    assert ("find_collection", "List", "Secrets") in needs(application(page, ana))
    client.force_login(ana)
    form = client.get("/collections/new/?name=Tasks").content.decode()
    assert 'value="Tasks"' in form


def test_only_pages_are_applications(page: Function, client: Client) -> None:
    assert client.get("/functions/list/application/")["Location"] == "/functions/List/application/"
    for name in ("Counts", "Gone", "no name"):
        assert client.get(f"/functions/{name}/application/").status_code == 404
        assert client.get(f"/api/v1/functions/{name}/application/").status_code == 404
    make.elect(make.implementation(make.function("Head", kind="page")), archived_at=make.SINCE)
    make.function("Plan", kind="page")
    listed = client.get("/applications/").content.decode()
    assert 'href="/functions/List/application/"' in listed
    assert 'href="/functions/List/open/"' in listed
    for name in ("Head", "Plan", "Counts"):
        assert f"/functions/{name}/" not in listed
    assert client.get("/functions/Plan/application/").status_code == 200
    make.elect(make.implementation(make.function("Clock", kind="page"), code="<p>Now</p>"))
    for address in ("/functions/Clock/", "/functions/Clock/open/"):
        assert 'href="/functions/Clock/application/"' in client.get(address).content.decode()
    assert "/application/" not in client.get("/functions/Counts/").content.decode()


def test_the_api_tells_the_same(page: Function, client: Client) -> None:
    collection("Tasks", pages=["List"])
    answer = client.get("/api/v1/functions/list/application/").json()
    assert (answer["function"], answer["status"], answer["complete"]) == (
        "List", "implemented", True,
    )  # fmt: skip
    pieces = {piece["name"]: piece for piece in answer["pieces"]}
    assert pieces["Counts"] == {
        "name": "Counts",
        "status": "implemented",
        "kind": "function",
        "untested": False,
        "elected_number": Implementation.objects.get(function__name="Counts", score=3).number,
        "score": 3,
        "author": "ben",
        "tests": 2,
        "test_authors": ["ana"],
        "used_by": ["List"],
        "needs": [],
    }
    assert (pieces["Gone"]["kind"], pieces["Gone"]["author"]) == (None, None)
    assert answer["collections"][0] == {
        "name": "Tasks", "found": True, "queries": ["done=false"], "changes": True,
    }  # fmt: skip
    assert answer["needs"][0] == {
        "task": "define", "function": "Gone", "subject": None, "count": 1,
        "url": "/functions/Gone/",
    }  # fmt: skip
    assert answer["people"][1] == {
        "name": "ben", "implementations": ["Counts"], "tested": ["Sum", "Sort"], "tests": 4,
    }  # fmt: skip


def test_it_takes_as_few_queries_for_many_pieces_as_for_one(client: Client, ana: User) -> None:
    client.force_login(ana)
    costs = []
    for count in (1, MAX_PIECES + 5):
        page = make.function("Crowd", kind="page")
        work = make.implementation(page, author=ana, code="{# collection Tasks #}")
        make.elect(work)
        pieces = Function.objects.bulk_create(
            Function(name=f"Of{nth}", name_key=f"of{nth}", owner=ana) for nth in range(count)
        )
        published = {"author": ana, "state": "published", "number": 1, "published_at": make.SINCE}
        Implementation.objects.bulk_create(
            Implementation(function=each, standing="failing", **published) for each in pieces
        )
        Test.objects.bulk_create(Test(function=each, **published) for each in pieces)
        Dependency.objects.bulk_create(
            Dependency(implementation=work, name=each.name, name_key=each.name_key, target=each)
            for each in pieces
        )
        for address in ("/functions/Crowd/application/", "/api/v1/functions/Crowd/application/"):
            with CaptureQueriesContext(connection) as queries:
                shown = client.get(address)
            assert shown.status_code == 200
            costs.append(len(queries))
        assert application(page, ana).is_all == (count == 1)
        Function.objects.update(deleted_at=make.SINCE)
    assert costs[2:] == costs[:2]
    assert max(costs) <= 20


def test_a_page_that_is_deleted_while_one_looks_is_not_there(
    page: Function, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    Function.objects.update(deleted_at=make.SINCE)
    monkeypatch.setattr("functions.views.applications.page_or_404", lambda _name: page)
    assert client.get("/functions/List/application/").status_code == 404
