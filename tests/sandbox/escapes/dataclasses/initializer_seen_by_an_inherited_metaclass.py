# The same, of a class that a function makes.
# stopped by: guard
# ends: refused
import dataclasses


class Meta(type):
    def __new__(cls, name, bases, namespace):
        if "__init__" in namespace:
            reached(namespace["__init__"])
        return super().__new__(cls, name, bases, {})


class Base(metaclass=Meta):
    pass


dataclasses.make_dataclass("A", ["limit"], bases=(Base,), slots=True)
