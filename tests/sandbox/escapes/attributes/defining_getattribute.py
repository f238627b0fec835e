# Defining getattribute.
# stopped by: policy
# ends: refused
class A:
    def __getattribute__(self, n): return n
reached(A().__code__)
