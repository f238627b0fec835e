# Nor has an instance: `copy` asks it first.
# stopped by: guard
# ends: refused
class A:
    pass


setattr(A(), "__deepcopy__", reached)
reached(A)
