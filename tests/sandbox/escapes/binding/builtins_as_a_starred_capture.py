# The builtins themselves, as what a pattern leaves over.
# stopped by: policy
# ends: refused
match [1, 2]:
    case [1, *__builtins__]:
        reached(1)
