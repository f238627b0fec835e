# A failing assert shows its values; what shows them is a text with methods of its own.
# stopped by: nothing to gain
# ends: failed
class Text(str):
    def __len__(self):
        return 0

    def __getitem__(self, key):
        return self

    def __format__(self, how):
        return Text("forged")

    def __str__(self):
        return self


class Sly:
    def __repr__(self):
        return Text("sly")

    def __bool__(self):
        return False


def F():
    return Sly()


# --- its test
assert F(), F()
