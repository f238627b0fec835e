def test_what_is_too_far_away_is_left_out():
    assert SpellingSuggestions("graph", ["paragraph", "grape", "tree"]) == ["grape"]


def test_no_word_is_near():
    assert SpellingSuggestions("zzz", ["add", "multiply"]) == []
