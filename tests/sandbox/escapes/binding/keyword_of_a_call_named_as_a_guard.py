# A call's keywords name the callee's arguments, and nothing here.
# stopped by: nothing to gain
# ends: passed
def f(**keywords):
    return keywords


assert list(f(_write_=1, __builtins__=2)) == ["_write_", "__builtins__"]
