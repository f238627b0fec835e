# A str subclass as an attribute's name.
# stopped by: guard
# ends: refused
class S(str):
    def startswith(self, *a): return False
    def __eq__(self, o): return False
    def __hash__(self): return 0
reached(getattr(print, S('__self__')))
