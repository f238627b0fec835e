# An exception thrown into a generator brings its traceback along.
# stopped by: guard
# ends: refused
def f():
    try:
        yield
    except ValueError as error:
        yield getattr(error.__traceback__, "tb_frame")


g = f()
next(g)
reached(g.throw(ValueError()))
