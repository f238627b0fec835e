# Str.format in place.
# stopped by: guard
# ends: refused
class G:
    def __radd__(self, o):
        reached(o(1))
class S(str):
    format_ = 0
s = S('{0.__class__.__subclasses__}')
s.format += G()
