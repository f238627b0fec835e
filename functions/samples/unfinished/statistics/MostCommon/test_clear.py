def test_one_is_clearly_ahead():
    assert MostCommon([7]) == 7
    assert MostCommon([1, 5, 2, 5]) == 5
    assert MostCommon(["a", "b", "b", "c", "b"]) == "b"
