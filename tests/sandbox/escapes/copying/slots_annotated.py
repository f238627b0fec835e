# Slots with an annotation.
# stopped by: policy
# ends: refused
class A:
    __slots__: tuple = ("__reduce_ex__",)


reached(A)
