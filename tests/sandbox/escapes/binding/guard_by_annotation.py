# A guard, annotated: that would make it a local name.
# stopped by: policy
# ends: refused
def f(x):
    _write_: int
    x.y = 1


reached(f)
