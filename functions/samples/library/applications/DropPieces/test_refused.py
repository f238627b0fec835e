import pytest


@pytest.mark.parametrize("column", [-1, 7, 3.5, "3", None])
def test_no_such_column(column):
    with pytest.raises(ValueError, match="no such column"):
        DropPieces([0, column])


def test_a_full_column():
    assert DropPieces([6] * 6)[0][6] == 2
    with pytest.raises(ValueError, match="Column 7 is full"):
        DropPieces([6] * 7)
