"""Document views of collections follow each change of an item."""

import pytest

from functions.collections.definition import Settings, create_collection
from functions.collections.items import add_item, delete_item, merge_item
from functions.document_views.sources import all_records, resolve_source
from functions.document_views.updates import apply_changes
from functions.document_views.verification import find_wrong_views, read_groups
from functions.errors import Refusal
from tests.support import builders as make
from tests.support.records import expected_groups, make_view


@pytest.mark.django_db
def test_a_view_follows_the_items_of_a_collection() -> None:
    mira = make.user("mira")
    books = create_collection(actor=mira, name="Books", settings=Settings(may_read="owner"))
    source = resolve_source(mira, "collection:books")
    assert source == f"collection:{books.pk}"
    with pytest.raises(Refusal):
        resolve_source(make.user(), "collection:books")
    definition = {"from": source, "group_by": "kind", "values": {"n": "count", "p": {"sum": "p"}}}
    view = make_view(definition, owner=mira)
    pens = [add_item(actor=mira, collection=books, value={"kind": "pen", "p": p}) for p in (1, 2)]
    about = {"actor": mira, "collection": books, "expected_version": None}
    merge_item(**about, item_id=pens[0].pk, patch={"p": 5, "kind": "ink"})  # type: ignore[arg-type]
    delete_item(**about, item_id=pens[1].pk)  # type: ignore[arg-type]
    assert apply_changes(view.pk)
    assert [record.value for record in all_records(source)] == [{"kind": "ink", "p": 5}]
    assert list(read_groups(view)) == ['"ink"']
    assert read_groups(view) == expected_groups(view)
    assert list(find_wrong_views()) == []
