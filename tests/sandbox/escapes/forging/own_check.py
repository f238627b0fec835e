# An implementation that brings along a `check` that checks nothing.
# stopped by: policy
# ends: failed
def F():
    return 1


def check(*_):
    pass


def log(*_):
    pass


# --- its test
check(F() == 2)
