# Names shadowing guards by a class.
# stopped by: policy
# ends: refused
class _getattr_: pass
reached(1)
