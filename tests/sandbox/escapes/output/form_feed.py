# A form feed is a blank.
# stopped by: nothing to gain
# ends: passed
x = 1
assert x == 1
