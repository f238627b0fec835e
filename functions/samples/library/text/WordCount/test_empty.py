assert WordCount("") == {}
assert WordCount("?!") == {}
