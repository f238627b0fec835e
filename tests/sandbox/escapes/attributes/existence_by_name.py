# Whether there is an attribute tells of it; `hasattr` asks the same guard.
# stopped by: guard
# ends: refused
reached(1) if hasattr(print, "__self__") or hasattr(print, "__func__") else 1 / 0
