# What copying asks `__getattr__` for is answered by the user, for the user's own.
# stopped by: nothing to gain
# ends: passed
import copy

asked = []


class Sly:
    def __getattr__(self, name):
        asked.append(name)
        if name == "__setstate__":
            return lambda state: None
        raise AttributeError(name)


sly = Sly()
sly.x = 1
copy.copy(sly)
copy.deepcopy(sly)
assert "__setstate__" in asked
