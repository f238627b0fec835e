# Memory runs out in a repr, which reprlib is used to.
# stopped by: guard
# ends: memory_limit
import reprlib


class A:
    def __repr__(self):
        return str([0] * 10**9)


reprlib.repr(A())
