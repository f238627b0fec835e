# A pointer to nowhere.
# stopped by: supervisor
# ends: crashed
ctypes.string_at(0)
