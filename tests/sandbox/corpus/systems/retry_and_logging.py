"""Decorators (retry with a fake clock, timed, trace) and a small logging system."""
import functools
import itertools
import random
import time
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import StringIO
from string import Template

DEBUG, INFO, WARNING, ERROR = range(10, 50, 10)
LEVELS = {v: k for k, v in dict(DEBUG=DEBUG, INFO=INFO, WARNING=WARNING, ERROR=ERROR).items()}

class Record(object):
    def __init__(self, logger, level, msg, args, extra):
        self.name, self.level, self.msg, self.args = logger.name, level, msg, args
        self.levelname = LEVELS.get(level, 'Level %d' % level)
        self.time = logger.clock()
        self.__dict__.update(extra)

    @property
    def message(self):
        return self.msg % self.args if self.args else str(self.msg)

class Formatter:
    styles = {
        '%': lambda fmt, d: fmt % d,
        '{': lambda fmt, d: fmt.format_map(d),
        '$': lambda fmt, d: Template(fmt).substitute(d),
    }

    def __init__(self, fmt='%(levelname)s:%(name)s:%(message)s', style='%', datefmt='%H:%M:%S'):
        if style not in self.styles:
            raise ValueError('style must be one of ' + ' '.join(self.styles))
        self._fmt, self._style, self._datefmt = fmt, style, datefmt

    def format(self, record):
        d = dict(vars(record), message=record.message, asctime=record.time.strftime(self._datefmt))
        return self.styles[self._style](self._fmt, d)

class Handler:
    def __init__(self, stream, formatter=None, level=DEBUG):
        self.stream, self.formatter, self.level = stream, formatter or Formatter(), level
        self.filters = []

    def handle(self, record):
        if record.level >= self.level and all(f(record) for f in self.filters):
            print(self.formatter.format(record), file=self.stream)

class Logger:
    _all = {}

    def __new__(cls, name='root'):
        try:
            return cls._all[name]
        except KeyError:
            self = cls._all[name] = super().__new__(cls)
            self._setup(name)
            return self

    def _setup(self, name):
        self.name, self.level, self.handlers = name, None, []
        self.parent = None if name == 'root' else Logger(name.rpartition('.')[0] or 'root')
        self.clock = datetime.now if self.parent is None else self.parent.clock

    @property
    def effective_level(self):
        return self.level or (self.parent.effective_level if self.parent else WARNING)

    def log(self, level, msg, *args, **extra):
        if level < self.effective_level:
            return
        record = Record(self, level, msg, args, extra)
        node = self
        while node:
            for h in node.handlers:
                h.handle(record)
            node = node.parent

    debug = functools.partialmethod(log, DEBUG)
    info = functools.partialmethod(log, INFO)
    warning = functools.partialmethod(log, WARNING)
    error = functools.partialmethod(log, ERROR)

class FakeTime:
    def __init__(self, now=0.0):
        self.now, self.naps = now, []

    def time(self):
        return self.now

    def sleep(self, seconds):
        self.naps.append(round(seconds, 3))
        self.now += seconds

def retry(exceptions=Exception, *, tries=3, delay=1.0, backoff=2.0, jitter=0.0, sleep=time.sleep, rng=random):
    """Call again when one of the exceptions is raised."""
    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            wait = delay
            for attempt in itertools.count(1):
                try:
                    return func(*args, **kwargs)
                except exceptions as exc:
                    if attempt == tries:
                        exc.add_note(f'after {attempt} attempts')
                        raise
                    sleep(wait + rng.uniform(0, jitter))
                    wait *= backoff
        return wrapper
    return decorate

class trace:
    depth = 0

    def __init__(self, logger):
        self.logger = logger

    def __call__(self, func):
        @functools.wraps(func)
        def wrapper(*args):
            self.logger.debug('%s%s%r', '| ' * trace.depth, func.__name__, args)
            trace.depth += 1
            try:
                result = func(*args)
            finally:
                trace.depth -= 1
            self.logger.debug('%s-> %r', '| ' * trace.depth, result)
            return result
        return wrapper

@contextmanager
def timed(label, clock, log):
    start = clock()
    try:
        yield
    finally:
        log(f'{label} took {clock() - start:.1f}s')

def main():
    out = StringIO()
    root = Logger()
    moments = (datetime(2024, 1, 1) + timedelta(seconds=n) for n in itertools.count())
    root.clock = lambda: next(moments)
    app, db = Logger('app'), Logger('app.db')
    assert Logger('app.db') is db and db.parent is app and app.parent is root
    root.handlers.append(Handler(out))
    alarms = StringIO()
    app.handlers.append(Handler(alarms, Formatter('{asctime} [{levelname:<7}] {message} {user}', '{'), WARNING))
    app.level = INFO
    db.debug('hidden')
    db.info('rows: %d', 3)
    db.error('%s is down', 'disk', user='ann')
    root.info('below')
    assert out.getvalue() == 'INFO:app.db:rows: 3\nERROR:app.db:disk is down\n'
    assert alarms.getvalue() == '00:00:01 [ERROR  ] disk is down ann\n'

    clock, calls = FakeTime(), []

    @retry(ConnectionError, tries=4, delay=0.5, sleep=clock.sleep)
    def fetch(fail):
        """Get it."""
        calls.append(fail)
        if len(calls) <= fail:
            raise ConnectionError('refused')
        return 'data'

    with timed('fetching', clock.time, calls.append):
        assert fetch(3) == 'data'
    assert clock.naps == [0.5, 1.0, 2.0] and calls[-1] == 'fetching took 3.5s' and fetch.__doc__ == 'Get it.'
    calls.clear()
    try:
        fetch(99)
    except ConnectionError as e:
        assert e.__notes__ == ['after 4 attempts'] and len(calls) == 4
    else:
        raise AssertionError

    app.level = DEBUG
    app.handlers[0].level = 100
    out.truncate(out.seek(0))

    @trace(app)
    def fact(n):
        return 1 if n < 2 else n * fact(n - 1)

    assert fact(2) == 2
    assert out.getvalue().split('\n') == ['DEBUG:app:fact(2,)', 'DEBUG:app:| fact(1,)', 'DEBUG:app:| -> 1', 'DEBUG:app:-> 2', '']

if __name__ == '__main__':
    main()
