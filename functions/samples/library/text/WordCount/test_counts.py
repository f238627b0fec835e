assert WordCount("The cat and the hat") == {
    "the": 2,
    "cat": 1,
    "and": 1,
    "hat": 1,
}
