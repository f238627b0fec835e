# A private name of the library's class, asked of a subclass of one's own.
# stopped by: guard
# ends: refused
import string


class Mine(string.Template):
    pass


reached(Mine("x")._invalid)
