# A class-private name as the compiler would spell it: the class is called as a guard is.
# stopped by: policy
# ends: refused
class _getattr_:
    def f(self):
        return __x


reached(_getattr_)
