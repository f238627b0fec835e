# Str.format_map of a string in disguise.
# stopped by: guard
# ends: refused
from collections import UserString
class S(UserString):
    def f(self, *a): return self.format_map(*a)
reached(S('{a.__class__.__subclasses__}').f({'a': 1}))
