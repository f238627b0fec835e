def test_long_words_are_harder():
    easy = ReadingEase("We read a book.")
    hard = ReadingEase("Administration necessitates documentation.")
    assert easy > 90 > 0 > hard
