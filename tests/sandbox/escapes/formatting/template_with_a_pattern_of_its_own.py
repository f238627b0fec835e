# A pattern that is an object of one's own gets the function that replaces, which leads nowhere.
# stopped by: nothing to gain
# ends: passed
import string

caught = []


class Pattern:
    def sub(self, convert, template):
        caught.append(convert)
        return "done"


class Sly(string.Template):
    flags = 0


template = Sly("x")
template.pattern = Pattern()
assert template.substitute() == "done"
try:
    reached(getattr(caught[0], "__globals__"))
except AttributeError:
    pass
