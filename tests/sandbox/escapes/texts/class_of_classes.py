# The real `type`, which a text would call.
# stopped by: nothing to gain
# ends: refused
kind = eval("type(int)")
reached(kind("X", (), {"__del__": lambda self: 0}))
