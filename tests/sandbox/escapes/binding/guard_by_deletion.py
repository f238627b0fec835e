# A guard, deleted.
# stopped by: policy
# ends: refused
del _write_
reached(1)
