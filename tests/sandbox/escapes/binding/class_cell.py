# The class cell, by its name where there is none, and set to another.
# stopped by: policy
# ends: refused
class A:
    def f(self):
        __class__ = reached
        return super()
reached(A().f())
