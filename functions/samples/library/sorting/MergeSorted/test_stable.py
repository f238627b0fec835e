# 1, 1.0 and True are equal, but one can tell them apart.
merged = MergeSorted([1, 2], [1.0, True])
log(f"merged: {merged}")
assert [str(item) for item in merged] == ["1", "1.0", "True", "2"]
