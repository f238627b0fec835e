# An asynchronous generator is made by an expression, in whatever function.
# stopped by: policy
# ends: refused
class Empty:
    def __getattr__(self, name):
        raise AttributeError(name)


g = (n async for n in Empty())
reached(g.ag_frame)
