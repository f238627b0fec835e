# A guard, called by name.
# stopped by: policy
# ends: refused
reached(_getattr_(print, "x"))
