# A test that is a coroutine counts when it has run.
# stopped by: nothing to gain
# ends: failed
def F():
    return 1


# --- its test
async def test_result():
    assert F() == 2
