# Deleting builtins.
# stopped by: policy
# ends: refused
del __builtins__
reached(1)
