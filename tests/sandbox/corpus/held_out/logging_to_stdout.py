import io
import logging
import logging.handlers
import sys
import time
from contextlib import contextmanager
from functools import wraps


class ListHandler(logging.Handler):
    def __init__(self, level=logging.NOTSET):
        super().__init__(level)
        self.records = []

    def emit(self, record):
        self.records.append(self.format(record))


class UserFilter(logging.Filter):
    def __init__(self, user):
        super().__init__()
        self.user = user

    def filter(self, record):
        record.user = self.user
        return "secret" not in record.getMessage()


class KeyValueFormatter(logging.Formatter):
    def format(self, record):
        extra = {k: v for k, v in record.__dict__.items() if k.startswith("x_")}
        text = super().format(record)
        return text + "".join(f" {k[2:]}={v}" for k, v in sorted(extra.items()))


root = logging.getLogger()
root.setLevel(logging.DEBUG)
for h in root.handlers[:]:
    root.removeHandler(h)

stream = io.StringIO()
console = logging.StreamHandler(sys.stdout)
console.setLevel(logging.WARNING)
console.setFormatter(logging.Formatter("[%(levelname)s] %(name)s - %(message)s"))
memory = logging.StreamHandler(stream)
memory.setFormatter(KeyValueFormatter("%(levelname).1s|%(user)s|%(name)s|%(funcName)s|%(message)s"))
memory.addFilter(UserFilter("ann"))
root.addHandler(console)
root.addHandler(memory)

log = logging.getLogger("app.db")
log.debug("connecting to %s:%d", "localhost", 5432, extra={"x_try": 1})
log.info("the secret is out")
log.warning("slow query: %(ms)d ms", {"ms": 1500})


def logged(logger, level=logging.INFO):
    def decorate(fn):
        @wraps(fn)
        def wrapper(*args, **kwargs):
            logger.log(level, "%s%r", fn.__name__, args)
            try:
                return fn(*args, **kwargs)
            except Exception:
                logger.exception("%s failed", fn.__name__)
                raise
        return wrapper
    return decorate


@logged(logging.getLogger("app.math"))
def divide(a, b):
    return a / b


assert divide(6, 3) == 2
console.setLevel(logging.CRITICAL)
try:
    divide(1, 0)
except ZeroDivisionError:
    pass
console.setLevel(logging.WARNING)

lines = stream.getvalue().splitlines()
assert lines[0] == "D|ann|app.db|<module>|connecting to localhost:5432 try=1", lines[0]
assert lines[1] == "W|ann|app.db|<module>|slow query: 1500 ms"
assert lines[2] == "I|ann|app.math|wrapper|divide(6, 3)"
assert "E|ann|app.math|wrapper|divide failed" in lines
assert lines[-1] == "ZeroDivisionError: division by zero"


@contextmanager
def level(logger, lvl):
    old = logger.level
    logger.setLevel(lvl)
    try:
        yield logger
    finally:
        logger.setLevel(old)


handler = ListHandler()
quiet = logging.getLogger("app.quiet")
quiet.propagate = False
quiet.addHandler(handler)
with level(quiet, logging.ERROR):
    quiet.warning("not seen")
    quiet.error("seen")
quiet.info("seen too")
assert handler.records == ["seen", "seen too"]
assert quiet.isEnabledFor(logging.DEBUG) and quiet.getEffectiveLevel() == logging.DEBUG
adapter = logging.LoggerAdapter(quiet, {"id": 7})
adapter.info("adapted")
logging.addLevelName(25, "NOTICE")
assert logging.getLevelName(25) == "NOTICE" and handler.records[-1] == "adapted"
logging.getLogger("app").error("goodbye")
logging.disable(logging.CRITICAL)
log.critical("silence")
logging.disable(logging.NOTSET)
buffered = logging.handlers.MemoryHandler(10, target=handler)
quiet.addHandler(buffered)
print(time.strftime("%Y", time.gmtime(0)), len(handler.records))
