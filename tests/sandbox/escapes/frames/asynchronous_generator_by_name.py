# The same by name, on a generator.
# stopped by: guard
# ends: refused
def f():
    yield


g = f()
for name in ("ag_frame", "cr_frame", "gi_frame", "gi_code", "gi_yieldfrom", "tb_frame", "f_back"):
    try:
        reached(getattr(g, name))
    except AttributeError:
        pass
raise LookupError("none of them")
