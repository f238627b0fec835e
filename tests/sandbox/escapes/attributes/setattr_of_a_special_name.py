# A class of one's own still has no names that nobody checked.
# stopped by: guard
# ends: refused
class A:
    pass


setattr(A, "__reduce_ex__", lambda self, protocol: reached(self))
reached(A)
