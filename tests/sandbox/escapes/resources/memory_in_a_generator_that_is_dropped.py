# Memory runs out where no exception is raised: as a generator dies.
# stopped by: guard
# ends: memory_limit
def f():
    try:
        yield
    finally:
        [0] * 10**9


generator = f()
next(generator)
del generator
