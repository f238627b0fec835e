# A number with billions of digits.
# stopped by: supervisor
# ends: time_limit
x = 9**9**9**9
