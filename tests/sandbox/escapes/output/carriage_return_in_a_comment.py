# A line that ends where an editor doesn't show it; here everybody takes it for an end.
# stopped by: nothing to gain
# ends: passed
# harmless, as it seems:reached(1)
assert True
