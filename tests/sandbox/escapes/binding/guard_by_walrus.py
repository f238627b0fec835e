# Names shadowing guards by a walrus.
# stopped by: policy
# ends: refused
(_write_ := 1)
reached(1)
