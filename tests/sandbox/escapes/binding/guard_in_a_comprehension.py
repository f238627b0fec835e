# A guard as the variable of a comprehension.
# stopped by: policy
# ends: refused
reached([1 for _write_ in (lambda thing: thing,)])
