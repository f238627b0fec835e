# An object that would name harmless bases when looked at, and a sealed class when the class is made:
# it is asked once.
# stopped by: nothing to gain
# ends: passed
import dataclasses

sealed = type(dataclasses.field())
answers = [(object,), (sealed,), (sealed,)]


class Changing:
    def __getattr__(self, name):
        if name == "__mro_entries__":
            return lambda bases: answers.pop(0)
        raise AttributeError(name)


class Made(Changing()):
    name = property(lambda self: "x=print(1)", lambda self, value: None)


reached(Made) if sealed in Made.__mro__ or len(answers) != 2 else None
