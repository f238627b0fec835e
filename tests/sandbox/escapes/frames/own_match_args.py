# Patterns by a class's own list.
# stopped by: policy
# ends: refused
class A:
    __match_args__ = ('gi_frame',)
reached(A)
