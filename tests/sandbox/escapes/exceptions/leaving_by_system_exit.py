# Leaving early.
# stopped by: guard
# ends: refused
raise SystemExit(0)
assert False
