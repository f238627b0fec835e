"""Every page of the site, found from its addresses, asks no more of the database for more rows."""

from itertools import pairwise

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.models import Function
from tests.support import builders as make
from tests.support.pages import Rows, addresses

pytestmark = pytest.mark.django_db
SIZES = (1, 10, 100)
ANSWERS = {200, 302, 400, 401, 403, 404, 405, 409, 422}
NOT_THERE = {
    *("/api/v1/", "/functions/Missing0/"),
    # Without an app for codes, or a provider.
    *("/accounts/factors/codes/", "/accounts/factors/app/remove/"),
    "/accounts/oidc/none/callback/",
}
# What cannot be had by a link that was never sent, or of a function that cannot be run here.
NOT_TO_BE_HAD = (
    *("/notifications/mail/", "/functions/Crowd/export/", "/api/v1/functions/Crowd/export/"),
    *("/p/~", "/p/@"),
)


def costs(client: Client, rows: Rows) -> dict[str, tuple[int, list[str]]]:
    found = {}
    for address in addresses(rows):
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(address)
        found[address] = answer.status_code, [query["sql"] for query in queries]
    return found


@pytest.mark.parametrize("reader", ["nobody", "reader", "staff"])
def test_every_page_takes_as_few_queries_for_a_hundred_rows_as_for_one(reader: str) -> None:
    person = make.user("reader", is_staff=reader == "staff")
    rows, client = Rows(person), Client()
    if reader != "nobody":
        client.force_login(person)
    rows.grow(SIZES[0])
    costs(client, rows)  # what is found once and kept
    few = costs(client, rows)
    assert len(few) > 30
    statuses = {path: status for path, (status, _) in few.items()}
    other = {path for path, status in statuses.items() if status not in ANSWERS}
    # There is no process that renders pages here.
    assert {path for path in other if not path.startswith("/p/")} == set()
    if reader != "nobody":
        missing = {path for path, status in statuses.items() if status == 404}
        assert {path for path in missing if not path.startswith(NOT_TO_BE_HAD)} == NOT_THERE
    # To staff everything is shown; the last size takes its time.
    for former, size in pairwise(SIZES if reader == "staff" else SIZES[:-1]):
        rows.grow(size - former)
        many = costs(client, rows)
        more = {
            path: [sql[:160] for sql in many[path][1]]
            for path in few.keys() & many.keys()
            if len(many[path][1]) > len(few[path][1])
        }
        assert (size, more) == (size, {})
    assert Function.objects.count() > size
