# Computing for ever.
# stopped by: supervisor
# ends: time_limit
while True:
    pass
