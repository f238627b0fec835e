# And so is one within its format.
# stopped by: policy
# ends: refused
reached(f"{1:{print.__self__}}")
