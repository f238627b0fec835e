def test_the_nearest_come_first():
    words = ["sort", "short", "port", "sorted"]
    assert SpellingSuggestions("sort", words) == ["sort", "port", "short", "sorted"]
