"""`verify` names a damaged view, and `rebuild_document_views` mends it."""

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from functions.document_views.updates import apply_changes, joiner
from functions.document_views.verification import read_groups
from functions.models import DocumentView, DocumentViewEntry, DocumentViewGroup
from tests.patience import PATIENCE_SECONDS
from tests.support.records import SOURCE, make_view, put, record_table

SUMS = {"from": SOURCE, "group_by": "group", "values": {"n": "count", "total": {"sum": "price"}}}
RIGHT = {'"a"': {"n": 2, "total": 3}, '"b"': {"n": 1, "total": 4}}


@pytest.fixture
def views(transactional_db: None) -> Iterator[tuple[DocumentView, DocumentView]]:
    """Have two equal views, of which one is damaged: a group is wrong, and a record not counted."""
    with record_table():
        damaged, right = (make_view(SUMS, name=name) for name in ("Damaged", "Right"))
        for record, group, price in (("r1", "a", 1), ("r2", "a", 2), ("r3", "b", 4)):
            put(record, {"group": group, "price": price})
        assert joiner.wait_idle(PATIENCE_SECONDS)
        assert all(apply_changes(view.pk) for view in (damaged, right))
        assert read_groups(damaged) == read_groups(right) == RIGHT
        DocumentViewGroup.objects.filter(view=damaged.pk, key='"a"').update(result={"n": 7})
        DocumentViewEntry.objects.filter(view=damaged.pk, record="r3").delete()
        yield damaged, right


def run(command: str, *words: str) -> tuple[int, str]:
    """Return the exit status and what is said."""
    said = StringIO()
    try:
        call_command(command, *words, stdout=said)
    except SystemExit as end:
        return int(str(end.code)), said.getvalue()
    return 0, said.getvalue()


@pytest.mark.parametrize("named", [("damaged",), ()], ids=["one view", "all views"])
def test_a_damaged_view_is_named_and_mended_and_a_right_one_stays(
    views: tuple[DocumentView, DocumentView], named: tuple[str, ...]
) -> None:
    damaged, right = views
    status, said = run("verify")
    assert status == 1
    assert "view Damaged: group \"a\" is {'n': Decimal('7')}, expected" in said
    assert f"view Damaged: {SOURCE} r3 counts as None, expected" in said
    assert "view Right" not in said
    assert run("verify_document_views", "right") == (0, "No differences.\n")
    rebuilt = "".join(f"{name}: rebuilt.\n" for name in ("Damaged", "Right")[: 2 - len(named)])
    assert run("rebuild_document_views", *named) == (0, rebuilt)
    assert read_groups(damaged) == read_groups(right) == RIGHT
    assert run("verify") == (0, "No differences.\n")


@pytest.mark.django_db
def test_a_view_that_is_not_there_can_not_be_rebuilt() -> None:
    with pytest.raises(CommandError, match="no view Gone"):
        run("rebuild_document_views", "Gone")
