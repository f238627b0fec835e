# A comparison is made once; that its outcome changes its mind afterwards helps nobody.
# stopped by: nothing to gain
# ends: failed
answers = [False, True, True]


class Fickle:
    def __bool__(self):
        return answers.pop(0)


class Sly:
    def __eq__(self, other):
        return Fickle()

    __hash__ = None


def F():
    return Sly()


# --- its test
assert F() == 2
