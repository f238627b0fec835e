# A dataclass with slots is made twice; the second time its metaclass gets what was generated.
# stopped by: guard
# ends: refused
import dataclasses


class Meta(type):
    def __new__(cls, name, bases, namespace):
        if "__init__" in namespace:
            reached(namespace["__init__"])
        return super().__new__(cls, name, bases, {})


@dataclasses.dataclass(slots=True)
class A(metaclass=Meta):
    limit: object
