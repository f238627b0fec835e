# Memory runs out where no exception is raised: as an object dies.
# stopped by: guard
# ends: memory_limit
import weakref


class A:
    pass


a = A()
reference = weakref.ref(a, lambda _: [0] * 10**9)
del a
