# `metaclass=` in disguise, and one that adds what nobody has seen.
# stopped by: guard
# ends: refused
def add(name, bases, namespace):
    return type(name, bases, {**namespace, "__reduce__": reached})


class Made(**{"metaclass": add}):
    pass


reached(Made)
