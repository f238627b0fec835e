# after: another class for a log record, by what is added to it
# stopped by: guard
# ends: refused
import logging


class Mine:
    pass


class Handler(logging.Handler):
    def emit(self, record):
        reached(record)


log = logging.getLogger("mine")
log.addHandler(Handler())
log.error("text", extra={"__class__": Mine})
