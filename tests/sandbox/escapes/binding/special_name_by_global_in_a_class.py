# A method's name made the module's: it means nothing there.
# stopped by: nothing to gain
# ends: passed
class A:
    global __getattr__

    def __getattr__(name):
        return reached


try:
    nothing
    reached(1)
except NameError:
    pass
