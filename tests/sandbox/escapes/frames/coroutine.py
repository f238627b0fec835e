# A coroutine's frame.
# stopped by: policy
# ends: refused
def f(c):
    return c.cr_frame


reached(f(None))
