# Everybody's time.
# stopped by: kernel
# ends: passed
import time

reached() if attempt(lambda: time.clock_settime(time.CLOCK_REALTIME, 0)) == "allowed" else None
