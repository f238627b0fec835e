# Code that nobody has looked at.
# stopped by: guard
# ends: refused
reached(exec(reached.__code__))
