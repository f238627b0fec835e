# The contents of a class, formatted as those of a log record: among them, the initializer.
# stopped by: guard
# ends: error
import dataclasses
import logging


@dataclasses.dataclass
class A:
    limit: object


A.getMessage = staticmethod(lambda: "")
A.exc_info = None


class Template:
    def __contains__(self, part):
        return False

    def __mod__(self, values):
        return str(reached(values["__init__"]))


logging.Formatter(Template()).format(A)
