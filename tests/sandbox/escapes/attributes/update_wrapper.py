# Update_wrapper.
# stopped by: import
# ends: refused
import functools
def f(): pass
def g(): reached(1)
functools.update_wrapper(f, g, assigned=['__code__'])
f()
