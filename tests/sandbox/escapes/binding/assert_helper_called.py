# What asserts are rewritten to call.
# stopped by: policy
# ends: refused
reached(_holds_)
