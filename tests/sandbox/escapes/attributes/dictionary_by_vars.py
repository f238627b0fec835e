# `vars` gives a copy, without what isn't public.
# stopped by: guard
# ends: refused
class A:
    pass


a = A()
vars(a)["__reduce_ex__"] = reached
vars(a)["left"] = 1
reached(a) if hasattr(a, "left") else 1 / 0
