# The real class of classes, by the names that only guards use.
# stopped by: policy
# ends: refused
reached(eval("_type_(int)"))
