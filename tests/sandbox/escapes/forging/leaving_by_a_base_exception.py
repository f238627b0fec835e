# An exception that few handlers catch ends the test, badly.
# stopped by: nothing to gain
# ends: error
class Out(BaseException):
    pass


def F():
    raise Out


# --- its test
def test_a():
    assert F() == 2
