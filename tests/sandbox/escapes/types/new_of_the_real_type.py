# `__new__` of the real type, which `super` would find behind our own.
# stopped by: guard
# ends: refused
kind = type(int)
reached(super(kind, kind).__new__(kind, "Made", (), {"__reduce_ex__": None}))
raise LookupError("only that of object")
