# The method as a function for others to call.
# stopped by: guard
# ends: refused
reached(list(map(str.format, ["{0.__class__.__subclasses__}"], [1])))
