# A GenericAlias's origin: of `type[int]`, the one that makes classes of any names.
# stopped by: guard
# ends: refused
reached(type[int].__origin__("X", (), {"__reduce__": reached}))
