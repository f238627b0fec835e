# Leaving early, by what the interactive interpreter has.
# stopped by: guard
# ends: refused
exit(0)
assert False
