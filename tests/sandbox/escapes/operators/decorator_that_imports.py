# The same with an import.
# stopped by: policy
# ends: refused
name = lambda _: "os"


@__import__
@name
class os:
    pass


reached(os)
