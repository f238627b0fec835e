# Self of a builtin.
# stopped by: policy
# ends: refused
reached(print.__self__)
