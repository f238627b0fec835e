# A traceback made to tell something else.
# stopped by: guard
# ends: refused
try:
    1 / 0
except ZeroDivisionError as error:
    error.__traceback__.tb_lasti = 0
    reached(error)
