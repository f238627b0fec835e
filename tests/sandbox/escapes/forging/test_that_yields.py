# A test that is a generator never runs, which is no pass.
# stopped by: nothing to gain
# ends: error
def F():
    return 1


# --- its test
def test_result():
    yield
    assert F() == 2
