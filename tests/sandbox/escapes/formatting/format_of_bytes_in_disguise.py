# What isn't a str may have such a method too, but then it is another.
# stopped by: guard
# ends: refused
class S(str):
    pass


reached(S("{0.__class__.__subclasses__}").format(1))
