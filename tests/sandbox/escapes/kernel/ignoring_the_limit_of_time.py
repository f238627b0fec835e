# A signal that says time is over, ignored.
# stopped by: kernel
# ends: time_limit
import signal

for number in (signal.SIGXCPU, signal.SIGPROF, signal.SIGALRM, signal.SIGTERM):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
