# Slots that aren't written out, by an expression.
# stopped by: policy
# ends: refused
class A:
    __slots__ = ("__reduce" + "_ex__",)


reached(A)
