# The builtins themselves, with an annotation.
# stopped by: policy
# ends: refused
__builtins__: dict = {}
reached(1)
