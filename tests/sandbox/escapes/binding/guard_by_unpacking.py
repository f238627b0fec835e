# Names shadowing guards by unpacking.
# stopped by: policy
# ends: refused
[_write_, b] = 1, 2
reached(1)
