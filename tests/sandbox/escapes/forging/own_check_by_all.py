# The same, listed.
# stopped by: policy
# ends: failed
def F():
    return 1


def check(*_):
    pass


__all__ = ["F", "check"]


# --- its test
check(F() == 2)
