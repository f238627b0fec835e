# An exception that loops take for their end, out of a call that is no iteration.
# stopped by: nothing to gain
# ends: refused
def F():
    raise StopIteration


# --- its test
assert list(map(lambda _: F(), [1])) == [2] or True
assert F() == 2
