"""Queries that are written once and asked often."""

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from functions.models import Function, Implementation
from functions.read_models.prepared_queries import Parameter, PreparedQuery, is_among
from tests.support import builders as make

pytestmark = pytest.mark.django_db


def test_a_query_is_written_once_and_answers_what_is_asked_each_time() -> None:
    written = []

    def write() -> QuerySet[Function]:
        written.append("once")
        return Function.objects.filter(name_key=Parameter("key")).select_related("owner")

    add, multiply = make.function("Add"), make.function("Multiply")
    query = PreparedQuery(write)
    with CaptureQueriesContext(connection) as queries:
        asked = [query.rows(key=key) for key in ("add", "multiply", "' or 1", "%s")]
        owners = [function.owner.username for found in asked for function in found]
    assert asked == [[add], [multiply], [], []]
    assert owners == [add.owner.username, multiply.owner.username]
    assert (len(queries), written) == (4, ["once"])


def test_values_are_read_of_whatever_ids_are_asked_for() -> None:
    works = [make.implementation(make.function()) for _ in range(3)]
    query = PreparedQuery(
        lambda: (
            Implementation.objects.filter(is_among("pk", Parameter("ids")))
            .order_by("pk")
            .values_list("pk", "code")
        )
    )
    shown = [(work.pk, work.code) for work in works]
    assert query.rows(ids=[work.pk for work in works[:2]]) == shown[:2]
    assert query.rows(ids=[works[2].pk]) == shown[2:]
    assert query.rows(ids=[]) == []
