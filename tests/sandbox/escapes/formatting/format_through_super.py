# Str.format through super.
# stopped by: guard
# ends: refused
class S(str):
    def f(self, *a): return super().format(*a)
reached(S('{0.__class__.__subclasses__}').f(1))
