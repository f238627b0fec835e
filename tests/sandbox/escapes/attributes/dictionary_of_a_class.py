# What a class holds, unguarded.
# stopped by: policy
# ends: refused
reached(int.__dict__)
