# The subject, deleted when it is called.
# stopped by: nothing to gain
# ends: refused
def F():
    global F
    del F
    return 1


# --- its test
assert F() == 1
assert F() == 1
G = undefined
