# An exception with somebody else's traceback.
# stopped by: policy
# ends: refused
try:
    1 / 0
except ZeroDivisionError as error:
    error.__traceback__ = None
    reached(error)
