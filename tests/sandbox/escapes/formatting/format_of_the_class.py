# Str.format as a function.
# stopped by: guard
# ends: refused
reached(str.format('{0.__class__.__subclasses__}', 1))
