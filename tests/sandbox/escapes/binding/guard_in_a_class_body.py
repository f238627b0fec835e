# A guard as a name of a class.
# stopped by: policy
# ends: refused
class A:
    _write_ = staticmethod(lambda thing: thing)


reached(A)
