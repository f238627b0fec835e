# `metaclass=` in disguise.
# stopped by: policy
# ends: refused
class Made(**{"metaclass": type(int)}):
    pass


reached(Made)
