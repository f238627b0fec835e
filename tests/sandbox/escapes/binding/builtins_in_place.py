# The builtins themselves, in place.
# stopped by: policy
# ends: refused
__builtins__ |= {}
reached(1)
