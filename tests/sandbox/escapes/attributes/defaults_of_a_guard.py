# A guard's default arguments.
# stopped by: policy
# ends: refused
print.__defaults__ = ()
reached(print)
