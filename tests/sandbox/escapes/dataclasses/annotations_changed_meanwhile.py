# Annotations that change while a dataclass is made, after they have been looked at.
# It was open once.
# stopped by: guard
# ends: refused
import dataclasses


class Change:
    def __get__(self, instance, owner):
        annotations = A.__dict__["__annotations__"]
        if "b" in annotations:
            del annotations["b"]
            annotations["x=reached(1)"] = int
        return 1


class A:
    a: int = Change()
    b: int = 3


dataclasses.dataclass(A)
reached(A) if "b" not in A.__annotations__ else 1 / 0
