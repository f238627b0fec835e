# A generator that goes on when it is closed is told so, and nothing else.
# stopped by: nothing to gain
# ends: passed
def f():
    while True:
        try:
            yield
        except GeneratorExit if False else BaseException:
            pass


g = f()
next(g)
try:
    g.close()
except RuntimeError:
    pass
