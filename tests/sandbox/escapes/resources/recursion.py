# A function that calls itself.
# stopped by: supervisor
# ends: error
def f():
    return f()


f()
