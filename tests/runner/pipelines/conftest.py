"""What these tests share: a view with its table."""

from collections.abc import Iterator

import pytest
from django.db import connection

from runner.pipelines import materialized_views
from runner.pipelines.materialized_views import joiner, register_view
from tests.patience import PATIENCE_SECONDS
from tests.support.totals import VIEW, Totals


@pytest.fixture
def totals(transactional_db: None) -> Iterator[Totals]:
    """Register a view whose totals stand in a table of their own."""
    with connection.cursor() as cursor:
        cursor.execute("create table totals (target bigint primary key, total bigint, writes int)")
    totals = Totals()
    register_view(VIEW, totals)
    try:
        yield totals
    finally:
        joiner.wait_idle(PATIENCE_SECONDS)
        del materialized_views.views[VIEW]
        with connection.cursor() as cursor:
            cursor.execute("drop table totals")
