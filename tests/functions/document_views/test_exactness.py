"""At rest a view is what its records come to, whatever they were and however they changed."""

from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from functions.document_views import updates
from functions.document_views.updates import apply_changes
from functions.document_views.verification import find_wrong_views, read_groups
from tests.support.records import OTHER_SOURCE, SOURCE, expected_groups, make_view, put

NAMES = st.sampled_from(["a", "b.c", "tags", "id"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.1, 0.2, -0.25, 2.0, 1e23, 1e-7, 2**60 + 1]),
    st.sampled_from(["", "x", "y", "ä", "\U0001f600", "1", 'q"\\', "long" * 50]),
)
RECORDS = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "a": SCALARS,
        "b": st.fixed_dictionaries({"c": SCALARS}) | SCALARS,
        "tags": st.lists(SCALARS, max_size=2),
    },
)
CONDITIONS = st.one_of(
    SCALARS,
    st.fixed_dictionaries({"ne": SCALARS}),
    st.fixed_dictionaries({"gte": st.integers(-1, 1)}),
    st.fixed_dictionaries({"lt": st.sampled_from(["x", 2])}),
    st.fixed_dictionaries({"in": st.lists(SCALARS, max_size=3)}),
    st.fixed_dictionaries({"contains": SCALARS}),
)


@st.composite
def definitions(draw: st.DrawFn, *, joins: bool) -> dict[str, Any]:
    """Draw a definition of one source or of two, or of one that is joined with itself."""
    sides = ["l.", "r."] if joins else [""]
    paths = st.builds(str.__add__, st.sampled_from(sides), NAMES)
    value = st.one_of(
        st.just("count"),
        *(st.fixed_dictionaries({kind: paths}) for kind in ("sum", "min", "max")),
        st.fixed_dictionaries({"latest": paths}, optional={"show": paths}),
        st.fixed_dictionaries({"top": st.integers(1, 3), "by": paths}, optional={"show": paths}),
    )
    values = draw(st.lists(value, min_size=1, max_size=4))
    drawn: dict[str, Any] = {"values": {f"v{n}": each for n, each in enumerate(values)}}
    if joins:
        other = draw(st.sampled_from([OTHER_SOURCE, OTHER_SOURCE, SOURCE]))
        drawn |= {"join": [SOURCE, other], "as": ["l", "r"], "on": [draw(NAMES), draw(NAMES)]}
    else:
        drawn["from"] = SOURCE
    if draw(st.booleans()):
        drawn["group_by"] = draw(paths)
    drawn["where"] = draw(st.dictionaries(paths, CONDITIONS, max_size=1))
    return drawn


# A change of a record of one of the sources, or None: what has arrived is applied.
STEPS = st.lists(
    st.none()
    | st.tuples(st.sampled_from([SOURCE, OTHER_SOURCE]), st.sampled_from("pqrs"), RECORDS),
    max_size=30,
)


@pytest.mark.parametrize("joins", [False, True], ids=["one source", "joined"])
@pytest.mark.parametrize("most", [5_000, pytest.param(2, marks=pytest.mark.slow)])
def test_any_view_is_what_its_records_come_to_after_any_changes(
    records: None, monkeypatch: pytest.MonkeyPatch, *, joins: bool, most: int
) -> None:
    monkeypatch.setattr(updates, "MAX_CHANGES", most)

    @settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
    @given(definitions(joins=joins), STEPS)
    def check(definition: dict[str, Any], steps: list[Any]) -> None:
        with transaction.atomic():
            view = make_view(definition)
            for step in steps:
                if step is None:
                    assert apply_changes(view.pk)
                else:
                    source, record, value = step
                    put(record, value, source=source)
            assert apply_changes(view.pk)
            assert read_groups(view) == expected_groups(view)
            assert list(find_wrong_views()) == []
            transaction.set_rollback(True)

    check()
