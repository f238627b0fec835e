# A failing assert shows its values; showing them never ends.
# stopped by: supervisor
# ends: time_limit
class Sly:
    def __repr__(self):
        while True:
            pass


def F():
    return Sly()


# --- its test
assert F() == 2
