# A slot called as the attribute that the judging of an exception reads.
# stopped by: policy
# ends: refused
class E(Exception):
    __slots__ = ("__traceback__",)


raise E
