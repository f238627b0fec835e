# The class cell.
# stopped by: policy
# ends: refused
class A:
    def f(self): return __class__
reached(A().f())
