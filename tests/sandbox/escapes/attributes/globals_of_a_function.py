# Globals of a function.
# stopped by: policy
# ends: refused
reached((lambda: 0).__globals__)
