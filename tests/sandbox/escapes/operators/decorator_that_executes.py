# A decorator is a call without parentheses.
# stopped by: policy
# ends: refused
@exec
@compile
class code:
    pass


reached(code)
