# Type of a type.
# stopped by: guard
# ends: refused
reached(type(int)('X', (), {'__reduce__': reached}))
