# The same through super, which is bound to the class.
# stopped by: guard
# ends: refused
import enum


class E(enum.Enum):
    @classmethod
    def out(cls):
        return super()._convert_("Made", "os", lambda name: name == "sys")


reached(E.out())
