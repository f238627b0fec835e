# Bases of a class.
# stopped by: policy
# ends: refused
reached(int.__base__)
