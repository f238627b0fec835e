"""JSON values for property tests."""

from hypothesis import strategies as st

from functions.json_data.values import check_value

# Few names and values, so that two versions have much in common; with those that Python confuses.
NAMES = st.sampled_from(["a", "b", "0", "1", "-", "", "a/b", "~", "~1", "ä"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 0.0, 2, 0.1, "", "1", "a", "true"])
NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))


def json_values(max_leaves: int = 12) -> st.SearchStrategy:
    """Return values as they are stored."""
    return st.recursive(
        st.one_of(SCALARS, NUMBERS),
        lambda inner: st.one_of(
            st.lists(inner, max_size=6), st.dictionaries(NAMES, inner, max_size=5)
        ),
        max_leaves=max_leaves,
    ).map(lambda value: check_value(value, field=""))
