def test_the_first_of_equals():
    assert MostCommon([2, 1, 2, 1]) == 2
    assert MostCommon(["b", "a"]) == "b"
