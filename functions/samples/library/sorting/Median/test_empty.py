def test_empty():
    try:
        Median([])
    except ValueError:
        return
    check(False, "an empty list was accepted")


def test_untouched():
    numbers = [3, 1, 2]
    Median(numbers)
    assert numbers == [3, 1, 2]
