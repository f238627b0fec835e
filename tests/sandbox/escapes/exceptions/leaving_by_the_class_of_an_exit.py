# `GeneratorExit` is met where a generator is closed, and ends nothing.
# stopped by: guard
# ends: refused
kept = []


def f():
    try:
        yield
    except BaseException as error:
        kept.append(type(error))


g = f()
next(g)
g.close()
raise kept[0]
