# Str.format.
# stopped by: guard
# ends: refused
reached('{0.__class__.__subclasses__}'.format(1))
