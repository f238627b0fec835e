# The object of an AttributeError calls itself a module, and can't be told.
# stopped by: guard
# ends: error
class Shim:
    def __str__(self):
        raise SystemExit


Shim().missing
