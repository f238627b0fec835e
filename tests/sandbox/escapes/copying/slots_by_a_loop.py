# Slots that aren't written out, by a loop.
# stopped by: policy
# ends: refused
class A:
    for __slots__ in [("__reduce_ex__",)]:
        pass


reached(A)
