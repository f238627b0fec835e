# The builtins themselves, as a function.
# stopped by: policy
# ends: refused
def __builtins__():
    pass


reached(1)
