# An expression within a formatted string is compiled on its own.
# stopped by: policy
# ends: refused
reached(f"{print.__self__}")
