# A list of public names that answers differently when asked again.
# stopped by: policy
# ends: refused
class Sly(list):
    def __iter__(self):
        return iter(["F", "check"])


def F():
    return 1


__all__ = Sly(["F"])

# --- its test
assert F() == 2
