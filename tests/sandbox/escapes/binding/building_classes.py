# What the class statement calls.
# stopped by: policy
# ends: refused
reached(__build_class__)
