# A name that is no str.
# stopped by: guard
# ends: refused
reached(getattr(print, b"__self__"))
