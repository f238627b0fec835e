"""A patch of an expanded document is split into patches of the documents that it links."""

from typing import Any

import pytest

from functions.document_revisions.write_back import NOTHING, split_patch
from functions.errors import Refusal

STORED = {
    "title": "Notes",
    "author": {"key": "Ada"},
    "place": {"of": {"key": "Oslo"}},
    "total": {"key": "Sums", "transform": "Add"},
    "all": [{"key": "Ada"}],
}


@pytest.mark.parametrize(
    ("patch", "own", "linked"),
    [
        ({"title": "New"}, {"title": "New"}, []),
        ({"author": {"city": "Paris"}}, NOTHING, [("Ada", {"city": "Paris"}, "author")]),
        (
            {"title": None, "place": {"of": {"name": "O"}}},
            {"title": None},
            [("Oslo", {"name": "O"}, "place.of")],
        ),
        ({"author": {"key": "Ida"}}, {"author": {"key": "Ida"}}, []),
        ({"author": None}, {"author": None}, []),
        ({"author": "Ada"}, {"author": "Ada"}, []),
        ({"total": {"key": "Sums"}}, {"total": {"key": "Sums"}}, []),
        ({"all": [1]}, {"all": [1]}, []),
        ({"new": {"of": {}}}, {"new": {"of": {}}}, []),
        ({}, {}, []),
    ],
)
def test_a_patch_goes_to_the_document_that_has_what_it_changes(
    patch: Any, own: Any, linked: list[Any]
) -> None:
    assert split_patch(STORED, patch) == (own, linked)


def test_what_a_transform_made_can_not_be_changed() -> None:
    with pytest.raises(Refusal, match="total is what Add makes of Sums") as refused:
        split_patch(STORED, {"total": {"sum": 1}})
    assert refused.value.code == "transformed_link"
