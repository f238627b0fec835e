# Annotations by assignment.
# stopped by: policy
# ends: refused
class A:
    __annotations__ = {"gi_frame": int}


reached(A)
