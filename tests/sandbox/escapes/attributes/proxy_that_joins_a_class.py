# The same by joining: what is handed over is a copy.
# stopped by: nothing to gain
# ends: passed
class A:
    pass


class Catch:
    def __ror__(self, mapping):
        mapping["left"] = 1
        return mapping


A.__dict__ | Catch()
assert not hasattr(A, "left")
