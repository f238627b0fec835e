# Names shadowing guards by an argument.
# stopped by: policy
# ends: refused
def f(_write_, /): pass
reached(f)
