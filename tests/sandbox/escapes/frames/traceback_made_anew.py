# The class of a traceback makes others, of frames that nobody has.
# stopped by: guard
# ends: refused
class M:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        made = type(traceback)(None, traceback, 0, 1)
        reached(made)


with M():
    1 / 0
