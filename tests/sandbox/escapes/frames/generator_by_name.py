# A frame through a name.
# stopped by: guard
# ends: refused
g = (n for n in ())
reached(getattr(g, 'gi_' + 'frame'))
