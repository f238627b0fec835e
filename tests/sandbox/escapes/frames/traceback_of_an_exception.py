# Where it was raised leads to all that was there.
# stopped by: policy
# ends: refused
try:
    1 / 0
except ZeroDivisionError as error:
    reached(error.__traceback__.tb_frame)
