# Test functions that go away while they are run: that is no passing either.
# stopped by: nothing to gain
# ends: failed | error
def F():
    return 1


# --- its test
def test_a():
    global test_b
    del test_b


def test_b():
    assert F() == 2
