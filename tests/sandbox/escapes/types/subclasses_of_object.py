# Subclasses of object.
# stopped by: policy
# ends: refused
reached(object.__subclasses__())
