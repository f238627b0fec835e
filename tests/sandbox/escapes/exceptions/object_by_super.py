# The object of an AttributeError, by a super within a subclass.
# stopped by: guard
# ends: refused
class E(AttributeError):
    def leak(self):
        return super().obj


class Raise:
    def __getattr__(self, name):
        raise E(name)


try:
    Raise().x
except E as error:
    reached(error.leak())
