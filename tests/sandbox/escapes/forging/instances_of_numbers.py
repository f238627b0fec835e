# A class registered as a number is one, as in Python everywhere. Other types stay what they were.
# stopped by: nothing to gain
# ends: passed
import numbers


class N:
    pass


numbers.Number.register(N)


def F():
    return N()


# --- its test
import numbers

assert isinstance(F(), numbers.Number) and not isinstance("1", numbers.Number)
