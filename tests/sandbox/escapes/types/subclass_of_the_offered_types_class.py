# The metaclass of our `type`, by asking for its class thrice.
# stopped by: guard
# ends: refused
Meta = type(type(type))
reached(Meta("Made", (), {})) if Meta is not type else 1 / 0
