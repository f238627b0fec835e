# Annotations of functions are left out, whatever they are.
# stopped by: nothing to gain
# ends: passed
def f(x: "reached(1)", *y: reached(1), z: reached(1) = 0) -> reached(1):
    return x


assert f(1) == 1
