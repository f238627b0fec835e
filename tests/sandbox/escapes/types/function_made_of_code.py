# Code through a type.
# stopped by: policy
# ends: refused
F = type(lambda: 0)
reached(F((lambda: 0).__code__, {}))
