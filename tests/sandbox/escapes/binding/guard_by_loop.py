# Names shadowing guards by a loop.
# stopped by: policy
# ends: refused
for _write_ in (): pass
reached(1)
