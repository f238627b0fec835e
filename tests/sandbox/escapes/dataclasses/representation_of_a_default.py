# Defaults and types reach the generated text by name, never by how they look.
# stopped by: nothing to gain
# ends: passed
import dataclasses


class Sly:
    def __repr__(self):
        return "reached(1)"

    __hash__ = object.__hash__ if hasattr(object, "__hash__") else None


@dataclasses.dataclass
class A:
    x: Sly() = Sly()


A()
