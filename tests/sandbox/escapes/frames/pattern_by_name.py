# Patterns by name.
# stopped by: policy
# ends: refused
g = (n for n in ())
match g:
    case object(gi_frame=f): reached(f)
