# Members made of all that a real module holds. It was open once.
# stopped by: guard
# ends: refused
import enum


class E(enum.Enum):
    pass


reached(E._convert_("Made", "os", lambda name: name == "sys").sys.value)
