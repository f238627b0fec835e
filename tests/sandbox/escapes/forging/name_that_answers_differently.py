# A public name that is a text with methods.
# stopped by: policy
# ends: refused
class Sly(str):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash("check")


def F():
    return 1


__all__ = ["F", Sly("checks")]

# --- its test
assert F() == 2
