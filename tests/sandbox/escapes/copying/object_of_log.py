# What `log` is a method of, among what was copied with it.
# stopped by: guard
# ends: passed
import copy

memo = {}
copy.deepcopy(log, memo)
copy.deepcopy([log], memo)
for thing in memo.values():
    if hasattr(thing, "case"):
        reached(thing)
