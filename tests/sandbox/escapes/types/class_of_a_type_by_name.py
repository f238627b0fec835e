# Class of a type by name.
# stopped by: guard
# ends: refused
reached(getattr(int, '__class__')('X', (), {'__reduce__': reached}))
