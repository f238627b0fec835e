# The stack is free again when the test goes on.
# stopped by: nothing to gain
# ends: failed
def F():
    try:
        return F()
    except RecursionError:
        return 1


# --- its test
assert F() == 2
