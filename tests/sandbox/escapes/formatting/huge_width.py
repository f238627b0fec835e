# One number in a format asks for a gigabyte.
# stopped by: supervisor
# ends: memory_limit
reached("%1000000000d" % 1)
