# The builtins themselves, from within a class.
# stopped by: policy
# ends: refused
class A:
    global __builtins__
    __builtins__ = {}


reached(1)
