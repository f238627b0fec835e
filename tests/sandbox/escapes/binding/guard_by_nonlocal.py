# A guard as a name of the function around.
# stopped by: policy
# ends: refused
def f():
    _getattr_ = 1

    def g():
        nonlocal _getattr_

    g()


reached(f)
