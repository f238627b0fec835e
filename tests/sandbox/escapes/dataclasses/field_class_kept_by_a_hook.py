# A class that is refused once it is made has been seen by the hooks of its bases.
# It was open once.
# stopped by: guard
# ends: refused
import dataclasses

kept = []


class Keep:
    def __init_subclass__(cls):
        kept.append(cls)


try:

    class Field(Keep, type(dataclasses.field())):
        name = property(lambda self: "x=reached(1)", lambda self, name: None)

except TypeError:
    pass
reached(kept[0]) if kept else 1 / 0
