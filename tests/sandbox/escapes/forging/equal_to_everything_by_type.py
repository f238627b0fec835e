# The same value, in a test that minds.
# stopped by: nothing to gain
# ends: failed
class Yes:
    def __eq__(self, other):
        return True

    __hash__ = None


def F():
    return Yes()


# --- its test
assert type(F()) is int and F() == 2
