# Leaving early, by what the interactive interpreter has.
# stopped by: policy
# ends: refused
exit(0)
