# Slots that aren't written out, by every other way to give them.
# stopped by: policy
# ends: refused
class A:
    __slots__, x = ("__reduce_ex__",), 1


reached(A)
