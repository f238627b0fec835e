# A generator in a circle is closed by the collector, at any time: it can print, and raise.
# stopped by: nothing to gain
# ends: passed
def f(circle):
    try:
        yield circle
    finally:
        print("closed")
        raise ValueError


for _ in range(60):
    circle = []
    g = f(circle)
    next(g)
    circle.append(g)
    del g, circle
