# Text that wants to see, or to make, what is sent.
# stopped by: nothing to gain
# ends: passed
class Sly(str):
    def __radd__(self, other):
        reached(other)
        return self

    def split(self, *_):
        reached(1)
        return [self]

    def encode(self, *_):
        reached(1)
        return b"forged"

    def join(self, parts):
        reached(1)
        return self


class Show:
    def __str__(self):
        return Sly("d")


print("a", end=Sly("b"))
print("c", Show(), sep=Sly("-"))
print(Show())
print(Sly("e"))
