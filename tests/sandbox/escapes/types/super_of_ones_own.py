# A subclass of super is the user's own, so what it finds would be too.
# stopped by: guard
# ends: refused
import string


class Up(super):
    pass


class Mine(string.Template):
    pass


reached(Up(Mine, Mine("x"))._invalid)
