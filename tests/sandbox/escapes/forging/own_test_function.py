# An implementation that defines the test's functions too: the test's own are run.
# stopped by: nothing to gain
# ends: failed
def F():
    return 1


def test_it():
    pass


# --- its test
def test_it():
    assert F() == 2
