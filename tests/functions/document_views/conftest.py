"""What these tests share: records to make views of."""

from collections.abc import Iterator

import pytest

from functions.document_views.updates import joiner
from tests.patience import PATIENCE_SECONDS
from tests.support.records import record_table


@pytest.fixture
def records(db: None) -> Iterator[None]:
    """Have a table of records, as a source of views."""
    with record_table():
        yield
        assert joiner.wait_idle(PATIENCE_SECONDS)
