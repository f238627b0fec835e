# after: the frames of those who called, by the place that a log record keeps
# stopped by: guard
# ends: refused
import logging


class Handler(logging.Handler):
    def emit(self, record):
        reached(record.exc_info[2].tb_frame)


log = logging.getLogger("mine")
log.addHandler(Handler())
try:
    1 / 0
except ZeroDivisionError:
    log.exception("failed")
