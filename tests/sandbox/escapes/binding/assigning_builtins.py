# The builtins themselves.
# stopped by: policy
# ends: refused
__builtins__ = {}
reached(1)
