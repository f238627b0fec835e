# after: an attribute of a class of the library, which a handler sets of the copy of a record
# stopped by: guard
# ends: refused
import logging
import logging.handlers
import textwrap


class Record(logging.LogRecord):
    def __copy__(self):
        return textwrap.TextWrapper


class Sink:
    def put_nowait(self, record):
        reached(record.message)


record = Record("name", 10, "path", 1, "text", (), None)
logging.handlers.QueueHandler(Sink()).emit(record)
