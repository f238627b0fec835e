# A format's specification goes to the object's own method and is no template.
# stopped by: nothing to gain
# ends: passed
class Show:
    def __format__(self, specification):
        return specification


template = "{0.__class__}"
assert format(Show(), template) == f"{Show():{template}}" == template
