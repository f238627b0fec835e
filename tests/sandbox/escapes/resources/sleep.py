# Doing nothing for ever.
# stopped by: supervisor
# ends: time_limit
import time

time.sleep(100)
