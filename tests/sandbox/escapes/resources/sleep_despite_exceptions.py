# Nothing that is caught ends it sooner or later.
# stopped by: supervisor
# ends: time_limit
while True:
    try:
        while True:
            pass
    except BaseException:
        continue
