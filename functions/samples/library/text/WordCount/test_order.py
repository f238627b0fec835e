ranking = WordCount("one two three two three four")
log(f"ranking: {ranking}")
assert list(ranking) == ["two", "three", "one", "four"]
