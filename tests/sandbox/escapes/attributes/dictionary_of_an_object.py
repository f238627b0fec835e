# What an object holds, to be written without a guard.
# stopped by: policy
# ends: refused
class A:
    pass


A().__dict__["__reduce_ex__"] = reached
reached(A)
