# An object that changes its class while a method runs: what is private to the library then.
# stopped by: guard
# ends: refused
import string


class A:
    def read(self):
        self.__class__ = B
        reached(self._vformat)


class B(string.Formatter):
    pass


A().read()
