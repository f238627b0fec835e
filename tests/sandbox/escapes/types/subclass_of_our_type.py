# A metaclass of one's own by inheriting from what is called `type` here.
# stopped by: guard
# ends: refused
class Meta(type):
    pass


made = Meta("Made", (), {"__reduce_ex__": lambda self, protocol: reached(self)})
reached(made)
