# Class of a type.
# stopped by: guard
# ends: refused
reached(int.__class__('X', (), {'__reduce__': reached}))
