# A frame through a generator.
# stopped by: policy
# ends: refused
g = (g.gi_frame for _ in (1,))
reached(next(g))
