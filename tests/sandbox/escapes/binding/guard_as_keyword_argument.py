# Names shadowing guards by a keyword-only argument.
# stopped by: policy
# ends: refused
f = lambda *, _getattr_: 0
reached(f)
