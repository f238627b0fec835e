# The exceptions of a group, and of what it is split into.
# stopped by: guard
# ends: refused
try:
    raise ExceptionGroup("several", [ValueError(), TypeError()])
except ExceptionGroup as group:
    part, rest = group.split(ValueError)
    reached(getattr(part.exceptions[0].__traceback__, "tb_frame"))
