# Names shadowing guards by a pattern.
# stopped by: policy
# ends: refused
match 1:
    case _write_: reached(1)
