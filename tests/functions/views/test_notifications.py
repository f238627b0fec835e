"""The bell, the list of notifications, and watching, as pages show them."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.models import Function, NameWatch, Notice, Notification, Watch
from functions.notifications.watches import watch_name
from tests.functions.views.conftest import SignedIn
from tests.support.works import account, define

pytestmark = pytest.mark.django_db


def notify(function: Function, count: int, *, kind: str = "comment", to: str = "olga") -> None:
    """Have somebody told of so many things, each by somebody else."""
    for number in range(count):
        notice = Notice.objects.create(
            function=function,
            kind=kind,
            text=f"happened {number}",
            path="#T1",
            actor=account(f"actor{number}"),
        )
        Notification.objects.create(notice=notice, user=account(to))


def test_the_bell_counts_what_is_unread_and_anonymous_visitors_have_none(
    as_person: SignedIn, client: Client
) -> None:
    two = define("Two")
    olga = as_person("olga")
    assert b"data-bell" not in client.get("/").content
    assert b'aria-label="Notifications"' in olga.get("/").content
    notify(two, 3)
    assert b'aria-label="Notifications, 3 unread"' in olga.get("/functions/Two/").content
    notify(two, 100)
    assert b"99+" in olga.get("/runs/").content


def test_what_repeats_is_one_group_and_is_read_at_once(as_person: SignedIn) -> None:
    two, three, olga = define("Two"), define("Three"), as_person("olga")
    notify(two, 3)
    notify(three, 1)
    notify(two, 1, kind="current_changed")
    notify(two, 1, to="nora")
    page = olga.get("/notifications/").content.decode()
    assert page.count('<li class="notice"') == 3
    assert "2 more like this" in page
    assert 'href="/functions/Two/#T1"' in page
    ids = re.findall(r'name="id" value="(\d+)"', page)
    assert len(ids) == 5
    comments = Notification.objects.filter(user=account("olga"), notice__kind="comment")
    theirs = comments.filter(notice__function=two)
    sent = {"id": [row.pk for row in theirs], "state": "unread"}
    answer = olga.post("/notifications/read/", sent)
    assert answer["Location"] == "/notifications/?state=unread"
    assert olga.get(answer["Location"]).content.decode().count('<li class="notice"') == 2
    newest = Notification.objects.filter(user=account("olga")).latest("pk")
    olga.post("/notifications/read/", {"up_to": newest.pk})
    assert "Nothing unread" in olga.get("/notifications/?state=unread").content.decode()
    assert Notification.objects.filter(read_at=None).get().user == account("nora")


def test_the_list_is_in_pages_and_costs_the_same_with_1_and_with_100_rows(
    as_person: SignedIn,
) -> None:
    two, olga = define("Two"), as_person("olga")
    costs = []
    for more in (1, 119):
        notify(two, more)
        with CaptureQueriesContext(connection) as queries:
            page = olga.get("/notifications/").content.decode()
        costs.append(len(queries))
    assert costs[0] == costs[1]
    older = re.search(r'rel="next" href="([^"]+)"', page)
    assert older
    assert "19 more like this" in olga.get(older[1].replace("&amp;", "&")).content.decode()


def test_one_watches_and_unwatches_on_the_functions_page(
    as_person: SignedIn, client: Client
) -> None:
    define("Two")
    nora = as_person("nora")
    place = "/functions/Two/watch/"
    assert client.post(place, {"watching": "yes"})["Location"].startswith("/accounts/login/")
    assert nora.get(place).status_code == 405
    assert nora.post(place, {"watching": "maybe"}).status_code == 400
    assert nora.post(place, {"watching": "yes"})["Location"] == "/functions/Two/"
    page = nora.get("/functions/Two/").content.decode()
    assert 'Watching <span class="num">2</span>' in page
    assert "Two" in nora.get("/notifications/watched/").content.decode()
    sent = {"watching": "no", "next": "watched"}
    assert nora.post(place, sent)["Location"] == "/notifications/watched/"
    assert "You watch nothing" in nora.get("/notifications/watched/").content.decode()
    assert not Watch.objects.get(user=account("nora")).watching


@pytest.mark.parametrize(
    "place",
    [
        "/notifications/?state=none",
        "/notifications/?cursor=x",
        "/notifications/watched/?cursor=x",
        "/notifications/mail/unsubscribe/forged/",
    ],
)
def test_what_is_no_such_list_is_not_found(as_person: SignedIn, place: str) -> None:
    assert as_person("olga").get(place).status_code == 404


@pytest.mark.parametrize("sent", [{"id": "x"}, {"up_to": "-1"}, {"id": "9" * 30}])
def test_what_is_no_number_marks_nothing_read(as_person: SignedIn, sent: dict[str, str]) -> None:
    assert as_person("olga").post("/notifications/read/", sent).status_code == 400


def test_one_watches_a_name_until_somebody_defines_it(as_person: SignedIn) -> None:
    olga = as_person("olga")
    assert b"You are notified when somebody defines it" in olga.get("/functions/Later/").content
    answer = olga.post("/functions/Later/watch/", {"watching": "yes"})
    assert answer["Location"] == "/functions/Later/"
    assert b'aria-pressed="true"' in olga.get("/functions/later/").content
    assert b"Later" in olga.get("/notifications/watched/").content
    olga.post("/functions/Later/watch/", {"watching": "yes"})
    assert NameWatch.objects.count() == 1
    olga.post("/functions/later/watch/", {"watching": "no", "next": "watched"})
    assert not NameWatch.objects.exists()
    olga.post("/functions/Later/watch/", {"watching": "yes"})
    function = define("Later", owner="nora")
    assert not NameWatch.objects.exists()
    assert Watch.objects.filter(function=function, user=account("olga"), watching=True).exists()
    notice = Notice.objects.get(function=function)
    assert (notice.kind, notice.text) == ("defined", "was defined by nora; you watched this name")


def test_a_name_that_was_defined_meanwhile_is_watched_as_a_function(db: None) -> None:
    function = define("Later", owner="nora")
    watch_name(actor=account("olga"), name="later", watching=True)
    assert Watch.objects.filter(function=function, user=account("olga"), watching=True).exists()
    assert not NameWatch.objects.exists()


@pytest.mark.parametrize("name", ["9lives", "len", "def", "_own"])
def test_no_name_is_watched_that_no_function_can_have(as_person: SignedIn, name: str) -> None:
    answer = as_person("olga").post(f"/functions/{name}/watch/", {"watching": "yes"})
    assert answer.status_code == 422
    assert not NameWatch.objects.exists()
