# An exception whose `name` does things.
# stopped by: nothing to gain
# ends: error
class E(NameError):
    @property
    def name(self):
        print("asked")
        raise ValueError


raise E("boo")
