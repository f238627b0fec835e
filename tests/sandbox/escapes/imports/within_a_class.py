# An import at a place where names are a class's.
# stopped by: policy
# ends: refused
class A:
    import socket


reached(A.socket)
