# Names shadowing guards by global.
# stopped by: policy
# ends: refused
def f():
    global _holds_
    _holds_ = 1
reached(f)
