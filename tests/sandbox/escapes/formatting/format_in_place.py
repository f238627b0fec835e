# Str.format in place.
# stopped by: policy
# ends: refused
class G:
    def __radd__(self, o):
        reached(o)
class S(str):
    format_ = 0
s = S('')
s.format += G()
