# Another function's code in one's own.
# stopped by: guard
# ends: refused
def f():
    pass


setattr(f, "__code__", None)
reached(f)
