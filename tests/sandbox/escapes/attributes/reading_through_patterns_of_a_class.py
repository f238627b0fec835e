# Patterns read attributes without asking: private ones are refused by name.
# stopped by: policy
# ends: refused
match 1:
    case int(_x=y):
        reached(y)
