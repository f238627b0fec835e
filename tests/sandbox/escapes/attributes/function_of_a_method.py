# A method's function.
# stopped by: policy
# ends: refused
reached(print.__func__)
