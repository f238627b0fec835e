# A GenericAlias's origin.
# stopped by: policy
# ends: refused
reached(list[int].__origin__)
