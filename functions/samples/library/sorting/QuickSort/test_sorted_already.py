def test_ascending():
    assert QuickSort(list(range(3000))) == list(range(3000))


def test_descending():
    assert QuickSort(list(range(3000, 0, -1))) == list(range(1, 3001))
