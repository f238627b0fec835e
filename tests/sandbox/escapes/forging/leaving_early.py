# An implementation that leaves before the test can fail.
# stopped by: guard
# ends: refused
def F():
    raise SystemExit


# --- its test
assert F() == 2
