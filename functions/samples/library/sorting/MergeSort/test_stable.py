# Equal, but distinguishable.
items = [2, 1.0, True, 1, 2.0, False]
ordered = MergeSort(items)
log(f"{items} becomes {ordered}")
assert [str(item) for item in ordered] == [
    "False",
    "1.0",
    "True",
    "1",
    "2",
    "2.0",
]
