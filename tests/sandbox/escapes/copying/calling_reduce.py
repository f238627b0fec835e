# Reduce.
# stopped by: policy
# ends: refused
reached((1).__reduce_ex__(4))
