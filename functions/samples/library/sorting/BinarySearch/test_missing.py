for missing in (1, 4, 99):
    assert BinarySearch([2, 3, 5, 7], missing) == -1
