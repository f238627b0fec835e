# A partial tells its function, and that function tells no more than before.
# stopped by: guard
# ends: refused
import functools

p = functools.partial(print)
reached(getattr(p.func, "__self__"))
