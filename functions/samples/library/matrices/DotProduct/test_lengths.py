def test_different_lengths():
    try:
        DotProduct([1, 2, 3], [1, 2])
    except ValueError:
        return
    check(False, "the third number was dropped without a word")
