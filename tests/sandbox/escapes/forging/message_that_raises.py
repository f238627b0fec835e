# A failing assert shows its values; showing them raises.
# stopped by: nothing to gain
# ends: failed | error
class Sly:
    def __repr__(self):
        raise BaseException("no")

    def __eq__(self, other):
        return False

    __hash__ = None


def F():
    return Sly()


# --- its test
assert F() == 2
