# A number with too many digits to be shown.
# stopped by: nothing to gain
# ends: error
str(10**10_000)
