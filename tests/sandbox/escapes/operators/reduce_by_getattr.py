# A chain of attributes by a fold.
# stopped by: guard
# ends: refused
import functools

reached(functools.reduce(getattr, ["__self__", "__class__"], print))
