# A dict that is asked for names, and says what the guards are.
# stopped by: guard
# ends: refused
class Names(dict):
    def __getitem__(self, name):
        return reached

    __missing__ = get = __getitem__
    __contains__ = lambda self, name: True


exec("import math\nmath.pi = 3", Names(), Names())
