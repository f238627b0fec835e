def test_short():
    assert MergeSort([]) == []
    assert MergeSort([4]) == [4]


def test_untouched():
    items = [2, 1]
    result = MergeSort(items)
    assert items == [2, 1]
    assert result is not items
