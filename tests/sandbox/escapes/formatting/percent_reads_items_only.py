# The other way to format reads items, never attributes.
# stopped by: nothing to gain
# ends: passed
class Any:
    def __getitem__(self, key):
        return key


assert "%(__class__)s %(a.b)s" % Any() == "__class__ a.b"
