# Bases of a class.
# stopped by: policy
# ends: refused
reached(type.__base__('X', (), {}))
