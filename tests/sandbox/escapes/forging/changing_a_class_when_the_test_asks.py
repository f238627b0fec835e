# What changes a class is called by what the test calls, iterates, leaves, waits for or drops, so
# that the test seems to do it.
# stopped by: policy
# ends: refused
import contextlib
import functools
import operator
import threading
import weakref


class Kept:
    pass


def F(kind):
    change = (kind, "__eq__", lambda self, other: True)
    waysout = contextlib.ExitStack()
    waysout.callback(setattr, *change)
    kept = Kept()
    weakref.finalize(kept, setattr, *change)
    threading.Thread(target=setattr, args=change).start()
    by_type = operator.methodcaller("__setattr__", *change)
    return [
        lambda: setattr(*change),
        functools.partial(setattr, *change),
        functools.partial(list, map(setattr, *zip(change))),
        functools.partial(list, map(by_type, [type])),
        functools.partial(type.__setattr__, *change),
        waysout.close,
        threading.Lock().acquire,
        [kept],
    ]


# --- its test
import time


class Thing:
    def __eq__(self, other):
        return False

    __hash__ = None


said = []
for way in F(Thing):
    try:
        way() if callable(way) else way.clear()
        time.sleep(0)
    except TypeError as refused:
        said.append(refused)
    except AttributeError as refused:
        said.append(refused)
assert Thing() != Thing(), said
raise said[-1]
