# Recursing until nothing else can be called, in the middle of the test.
# stopped by: nothing to gain
# ends: error
def F():
    return F()


# --- its test
assert F() == 2
