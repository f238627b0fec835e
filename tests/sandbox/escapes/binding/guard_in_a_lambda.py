# A guard as a lambda's star.
# stopped by: policy
# ends: refused
reached(lambda *_write_, **_getattr_: 0)
