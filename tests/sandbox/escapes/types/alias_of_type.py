# Type through an alias.
# stopped by: guard
# ends: refused
reached(type[int]('X', (), {'__reduce__': reached}))
