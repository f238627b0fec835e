# after: the globals of a function, by a format that a log record is filled into
# stopped by: guard
# ends: refused
import logging


class Template(str):
    def format(self, **values):
        return values["msg"]


def mine():
    pass


record = logging.LogRecord("name", 10, "path", 1, mine, (), None)
logging.Formatter("{msg}", style="{").format(record)
reached(logging.Formatter("{msg.__globals__}", style="{").format(record))
