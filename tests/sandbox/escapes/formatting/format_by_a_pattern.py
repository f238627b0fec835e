# Patterns that fetch str.format.
# stopped by: policy
# ends: refused
match '{0.x}':
    case str(format=f): reached(f)
