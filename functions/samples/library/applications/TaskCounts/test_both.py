tasks = [{"value": {"done": done}} for done in (True, False, True)]
assert TaskCounts(tasks) == {"open": 1, "done": 2}
